import { limits } from '../../../config/limits.ts'
import { createError } from '../../../errors/error.ts'
import { findChangedUrn } from '../../../journal/merge-states.ts'
import type { CatalogPort, StackRecord } from '../../../ports/catalog.ts'
import type { BlobsPort } from '../../../ports/records.ts'
import { type Claim, containsClaim, unionOfClaims } from '../../../records/claim.ts'
import { type BlobHash, type DeploymentId, deploymentPartsOf } from '../../../records/ids.ts'
import type { Decision } from '../../../records/log.ts'
import type { Pin } from '../log/log-view.ts'
import { readPlanPage } from '../log/log-view.ts'
import type { LogWriter } from '../log/log-writer.ts'
import { readSnapshotBlob } from '../state/read-snapshot-blob.ts'
import { referencedUrnsOf } from '../../../state/referenced-urns.ts'
import { claimOfDecisions, listRenamedUrns } from './claim-of-decisions.ts'
import { type ClaimConflict, encodeClaim, findClaimConflict, readClaim } from './stored-claims.ts'

/** The dependencies of a claiming writer. */
export interface ClaimDeps {
  readonly catalog: Pick<CatalogPort, 'getStack' | 'extendClaim'>
  readonly blobs: BlobsPort
  /** Returns the error for a resource that another open deployment claims. */
  readonly createConflictError: (conflict: ClaimConflict) => Promise<Error>
}

/**
 * Returns a writer that claims the resources that the decisions of a targeted deployment touch,
 * before it appends the decisions. The appends keep their order. Returns `writer` itself for a
 * deployment of the whole stack. An append throws STACK_BUSY when another open deployment claims
 * one of these resources, or when another deployment has changed one since the pin. In both cases
 * nothing is appended.
 */
export async function withClaims(
  deps: ClaimDeps,
  writer: LogWriter,
  { deployment, pin }: { readonly deployment: DeploymentId; readonly pin: Pin },
): Promise<LogWriter> {
  const { published } = pin
  if (published === undefined) return writer
  const entry = await findTargetedEntry(deps, deployment)
  // Another process has closed the deployment, so the log refuses every append.
  if (entry === undefined) return writer
  let claim = await readClaim(deps.blobs, entry.claim)
  let lastTurn: Promise<void> | undefined
  const claimFor = async (decisions: readonly Decision[]): Promise<void> => {
    const needed = await readNeededClaim(deps.blobs, decisions, published)
    if (containsClaim(claim, needed)) return
    claim = await extendClaim(deps, { deployment, published, claim, needed })
  }
  /** Reports whether decisions can be appended immediately: no claim is missing or in progress. */
  const canAppendAtOnce = (decisions: readonly Decision[]): boolean =>
    lastTurn === undefined &&
    !decisions.some(({ kind }) => kind === 'plan') &&
    listRenamedUrns(decisions, []).size === 0 &&
    containsClaim(claim, claimOfDecisions(decisions, []))
  return {
    ...writer,
    append(...decisions) {
      if (canAppendAtOnce(decisions)) return writer.append(...decisions)
      const pendingClaim = (lastTurn ?? Promise.resolve()).then(() => claimFor(decisions))
      // The next append waits until this append has its claim, but not until it is durable.
      let pendingAppend: Promise<void> | undefined
      const turn = pendingClaim.then(
        () => {
          pendingAppend = writer.append(...decisions)
          pendingAppend.catch(() => undefined)
        },
        () => undefined,
      )
      lastTurn = turn
      void turn.then(() => {
        if (lastTurn === turn) lastTurn = undefined
      })
      return pendingClaim.then(() => turn).then(() => pendingAppend)
    },
    async finish() {
      await lastTurn
      await writer.finish()
    },
  }
}

/**
 * Returns the claim that decisions need. The fold of a renamed resource also changes the resources
 * that refer to its old name.
 */
async function readNeededClaim(
  blobs: BlobsPort,
  decisions: readonly Decision[],
  published: BlobHash | '',
): Promise<Claim> {
  const operations = []
  for (const decision of decisions)
    if (decision.kind === 'plan')
      for (const hash of decision.pages) operations.push(...(await readPlanPage(blobs, hash)))
  const claim = claimOfDecisions(decisions, operations)
  const renamedUrns = listRenamedUrns(decisions, operations)
  if (renamedUrns.size === 0) return claim
  const { resources = [] } = await readSnapshotBlob(blobs, published)
  const dependents = resources.filter(state =>
    referencedUrnsOf(state).some(urn => renamedUrns.has(urn)),
  )
  const changes = new Set(dependents.map(({ urn }) => urn))
  return unionOfClaims(claim, { changes, reads: new Set() })
}

/** The claim of a deployment, and the claim that its next decisions need. */
interface ClaimExtension {
  readonly deployment: DeploymentId
  /** The published snapshot at the pin. */
  readonly published: BlobHash | ''
  readonly claim: Claim
  readonly needed: Claim
}

/** Extends a claim in the catalog. Returns the extended claim. Throws STACK_BUSY. */
async function extendClaim(deps: ClaimDeps, extension: ClaimExtension): Promise<Claim> {
  const { deployment, claim, needed } = extension
  const extendedClaim = unionOfClaims(claim, needed)
  const hash = await deps.blobs.put(encodeClaim(extendedClaim))
  for (let attempt = 0; attempt < limits.claimAttemptsMax; attempt += 1) {
    const record = await deps.catalog.getStack(deploymentPartsOf(deployment).stack)
    const entry = record?.targeted?.find(open => open.deployment === deployment)
    // Another process has closed the deployment, so the log refuses the append.
    if (record === undefined || entry === undefined || entry.claim === hash) return extendedClaim
    const search = { claim: needed, exceptDeployment: deployment }
    const conflict = await findClaimConflict(deps.blobs, record, search)
    if (conflict !== undefined) throw await deps.createConflictError(conflict)
    await requireUnchanged(deps, extension, record)
    if (await deps.catalog.extendClaim(deployment, hash, record)) return extendedClaim
  }
  throw createError(
    'STORE_UNAVAILABLE',
    'gave up extending a claim: the stack was changed concurrently',
  )
}

/**
 * Requires that no other deployment has changed a resource of the needed claim since the pin.
 * Throws STACK_BUSY.
 */
async function requireUnchanged(
  { blobs }: ClaimDeps,
  { published, needed }: ClaimExtension,
  { snapshot }: StackRecord,
): Promise<void> {
  if (snapshot === published) return
  const pinned = await readSnapshotBlob(blobs, published)
  const current = await readSnapshotBlob(blobs, snapshot)
  const urn = findChangedUrn(pinned, current, needed)
  if (urn === undefined) return
  throw createError('STACK_BUSY', `another deployment has changed '${urn}' since this one began`, {
    hint: 'Run the command again: it then begins with the changed resource.',
  })
}

/**
 * Returns the part of the stack record that concerns an open targeted deployment. Returns undefined
 * if the deployment is closed.
 */
async function findTargetedEntry(
  { catalog }: ClaimDeps,
  deployment: DeploymentId,
): Promise<{ readonly claim: BlobHash } | undefined> {
  const record = await catalog.getStack(deploymentPartsOf(deployment).stack)
  return record?.targeted?.find(open => open.deployment === deployment)
}

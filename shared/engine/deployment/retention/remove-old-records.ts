import { limits } from '../../../config/limits.ts'
import { hasCode } from '../../../errors/error.ts'
import type { CatalogPort } from '../../../ports/catalog.ts'
import type { BlobsPort, ControlPort, LeasesPort, OperationsPort } from '../../../ports/records.ts'
import type { DecisionLogPort } from '../../../ports/records.ts'
import type { KeptDeployment, RetentionPort } from '../../../ports/retention.ts'
import type { ClockPort } from '../../../ports/system.ts'
import { type DeploymentId, deploymentPartsOf, type StackId } from '../../../records/ids.ts'
import { rulesVersion } from '../../../records/log.ts'
import type { LivenessDeps } from '../ownership/liveness.ts'
import { readVersions } from './stack-history.ts'
import { readFirstPin } from '../log/decision-rules.ts'
import { saveLateCreates } from './late-creates.ts'

/** How long things are kept. */
export interface RetentionPolicy {
  readonly recordsMs: number
  /** Published versions of each stack, at least one; undefined keeps all. */
  readonly versions: number | undefined
}

/** What a removal asks of the outside. */
export interface RetentionDeps {
  readonly retention: RetentionPort
  readonly catalog: CatalogPort
  readonly decisionLog: DecisionLogPort
  readonly blobs: BlobsPort
  readonly operations: OperationsPort
  readonly control: ControlPort
  readonly leases: LeasesPort
  readonly clock: ClockPort
  readonly isAlive: LivenessDeps['isAlive']
}

/** What to remove, and how much of it. */
export interface RemovalRequest {
  readonly keeping: RetentionPolicy
  /** This stack only; all, and what removed ones left, without it. */
  readonly stack?: StackId
  /** At most so many deployments. */
  readonly deploymentsMax: number
  /** Only tell what would go. */
  readonly dryRun: boolean
}

/** What was removed. */
export interface RemovalResult {
  readonly deployments: readonly DeploymentId[]
  readonly versions: readonly { readonly stack: StackId; readonly versions: readonly number[] }[]
}

/**
 * Removes the records of deployments that are closed, published, kept long enough, and whose late
 * window is over (I6), those of one stack in order; then published versions beyond those that are
 * kept. What a create made that nobody has heard of is put into the inbox first. Bounded by its
 * request; may be killed anywhere and done again.
 */
export async function removeOldRecords(
  deps: RetentionDeps,
  removal: RemovalRequest,
): Promise<RemovalResult> {
  const nowMs = deps.clock.now()
  const deployments: DeploymentId[] = []
  const staying = new Set<StackId>()
  for (const kept of sortByNumber(await deps.retention.listDeployments())) {
    if (deployments.length >= removal.deploymentsMax) break
    const { deployment } = kept
    const { stack } = deploymentPartsOf(deployment)
    if (staying.has(stack) || (removal.stack ?? stack) !== stack) continue
    const goes =
      isOld(kept, nowMs, removal.keeping.recordsMs) &&
      (await isLateWindowOver(deps, kept, nowMs)) &&
      (await isKnownRules(deps, deployment))
    if (!goes) {
      // What it made late is known by the records of those behind it.
      staying.add(stack)
      continue
    }
    deployments.push(deployment)
    if (removal.dryRun) continue
    if (kept.isInHistory) await ignoreRemoved(saveLateCreates(deps, deployment))
    await removeAll(deps.retention, deployment)
  }
  return { deployments, versions: await removeVersions(deps, removal) }
}

/** The deployments of each stack by their numbers. */
function sortByNumber(kept: readonly KeptDeployment[]): readonly KeptDeployment[] {
  const numberOf = ({ deployment }: KeptDeployment): number => deploymentPartsOf(deployment).number
  return kept.toSorted((a, b) => numberOf(a) - numberOf(b))
}

/** Whether the records of a deployment have been kept long enough. Pure. */
function isOld(kept: KeptDeployment, nowMs: number, keepMs: number): boolean {
  if (kept.isCurrent || kept.closed === false) return false
  // Who removed a stack removed its history: nobody reads these any more.
  if (!kept.isInHistory) return true
  return kept.endedAt !== undefined && kept.endedAt + keepMs <= nowMs
}

/**
 * Whether nothing of a deployment can land any more: every executor has left by itself, or its
 * process and its process groups are seen dead; one of another host cannot be asked: it is given a
 * time. So is the last holder where it lives, as processes that serve do: it has closed the
 * deployment, and what it asked of the store before that does not take so long.
 */
async function isLateWindowOver(
  deps: RetentionDeps,
  { deployment, endedAt }: KeptDeployment,
  nowMs: number,
): Promise<boolean> {
  const control = await deps.control.read(deployment)
  const leases = await deps.leases.list(deployment)
  const feared = leases.filter(({ left }) => !left)
  const processes = [
    ...feared.map(({ holder }) => holder),
    ...feared.flatMap(({ holder, groups }) => groups.map(group => ({ ...holder, ...group }))),
  ]
  const states = processes.map(process => deps.isAlive(process))
  if (states.includes(true)) return false
  const isHolderDead = control === undefined || deps.isAlive(control.holder) === false
  if (isHolderDead && !states.includes(undefined)) return true
  return endedAt !== undefined && endedAt + limits.lateWindowMs <= nowMs
}

/** What a newer version decided says to it alone what of it must be saved. */
async function isKnownRules(deps: RetentionDeps, deployment: DeploymentId): Promise<boolean> {
  const pin = await ignoreRemoved(readFirstPin(deps, deployment))
  return pin === undefined || pin.rules <= rulesVersion
}

/** What a removal that was interrupted needs no more: it was done before the first record went. */
async function ignoreRemoved<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (thrown) {
    if (hasCode(thrown, 'RECORDS_REMOVED')) return undefined
    throw thrown
  }
}

async function removeAll(retention: RetentionPort, deployment: DeploymentId): Promise<void> {
  while (!(await retention.removeRecords(deployment, limits.rowsPerRemoval)));
}

async function removeVersions(
  deps: Pick<RetentionDeps, 'catalog' | 'retention'>,
  { keeping, stack, dryRun }: RemovalRequest,
): Promise<RemovalResult['versions']> {
  if (keeping.versions === undefined) return []
  const removed: { stack: StackId; versions: readonly number[] }[] = []
  const { stacks, unreadable } = await deps.catalog.listStacks()
  const isSelected = (id: StackId): boolean => stack === undefined || id === stack
  // What it names is not known: no blob may go.
  for (const { id, why } of unreadable) if (isSelected(id)) throw why
  for (const { id, version } of stacks) {
    if (!isSelected(id)) continue
    const through = version - Math.max(1, keeping.versions)
    if (through < 1) continue
    const versions: number[] = []
    for await (const one of readVersions(deps.catalog, id, through + 1)) versions.push(one.version)
    if (versions.length === 0) continue
    if (!dryRun) await deps.retention.removeVersions(id, through)
    removed.push({ stack: id, versions })
  }
  return removed
}

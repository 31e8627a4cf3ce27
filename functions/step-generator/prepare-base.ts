import { readClaim } from '../../shared/engine/deployment/claims/stored-claims.ts'
import { applyPendingAnswers } from './apply-pending-answers.ts'
import { type BlobHash, stackPartsOf } from '../../shared/records/ids.ts'
import { describeForeignResources } from '../../shared/state/foreign-resources.ts'
import { createError } from '../../shared/errors/error.ts'
import { readLateOutcomes } from '../../shared/engine/deployment/recovery/read-late-outcomes.ts'
import type { DeployInput } from '../../shared/engine/request.ts'
import { applyLateOutcomes } from '../../shared/journal/late-outcomes.ts'
import { printStateBlob } from '../../shared/state/print-envelope.ts'
import { envelopeOf } from '../../shared/state/snapshot-codec.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { migrateProviders } from '../../shared/runtime/state/migrate-providers.ts'
import { resealForDeployment } from '../../shared/runtime/state/reseal-for-deployment.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'

/** The prepared base of a deployment. */
export interface PreparedBase {
  readonly hash: BlobHash | ''
  readonly base: StoredDeployment
  /** Keys of the outcomes taken from the inbox. */
  readonly inbox: readonly string[]
  readonly notices: readonly string[]
}

/**
 * Returns the published snapshot with the late outcomes, with the providers that it lacks, and with
 * the user's answers about pending creates. Its secrets have the manager of the stack file.
 */
export async function prepareBase(
  ports: GeneratorPorts,
  request: DeployInput,
  published: {
    readonly hash: BlobHash | ''
    readonly stored: StoredDeployment
    /** The claim of the deployment, if other deployments of the stack may run at the same time. */
    readonly sharedClaim: BlobHash | undefined
  },
): Promise<PreparedBase> {
  const { sharedClaim } = published
  const claim = sharedClaim === undefined ? undefined : await readClaim(ports.blobs, sharedClaim)
  // The outcomes of other resources belong to the deployments that claim them.
  const lateOutcomes = (await readLateOutcomes(ports, request.stack, published.stored)).filter(
    ({ urn }) => claim === undefined || claim.changes.has(urn),
  )
  const { state, keys: inbox, messages } = applyLateOutcomes(published.stored, lateOutcomes)
  const resealed = await resealForDeployment(state, request)
  if (resealed !== state && claim !== undefined)
    throw createError('SECRETS_PROVIDER_CHANGED', 'the secrets of the state have another manager', {
      hint: 'Deploy the whole stack once, without --target. This encrypts the state with the manager of the stack file.',
    })
  const migrated = await migrateProviders(resealed, request, ports.random.uuid)
  if (migrated !== resealed && claim !== undefined)
    throw createError(
      'STATE_INTEGRITY',
      'the state lacks provider resources, which early versions of Pulumi did not record',
      {
        hint: 'Deploy the whole stack once, without --target. This adds the providers to the state.',
      },
    )
  const base = await applyPendingAnswers(ports, request, {
    base: migrated,
    stored: published.stored,
  })
  const hash =
    base === published.stored
      ? published.hash
      : await ports.blobs.put(await printStateBlob(await envelopeOf(base)))
  const foreignWarning = describeForeignResources(base, stackPartsOf(request.stack))
  const notices = foreignWarning === undefined ? messages : [...messages, foreignWarning]
  return { hash, base, inbox, notices }
}

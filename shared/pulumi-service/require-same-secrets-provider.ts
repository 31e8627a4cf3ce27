import { isDeepStrictEqual } from 'node:util'
import { readSnapshotBlob } from '../engine/deployment/state/read-snapshot-blob.ts'
import { createError } from '../errors/error.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { StackId } from '../records/ids.ts'
import { requireStack } from '../runtime/state/export-state.ts'
import { containsCiphertext } from '../state/list-ciphertexts.ts'
import type { ServicePorts } from './service-route.ts'

/**
 * Requires that entries do not change the secrets manager of a state with secrets. The unchanged
 * resources of the state would stay under the old manager, so no client could open the result. Only
 * the first entry of an update names a manager, so the state is read once per update. Two managers
 * of the type `service` count as equal, because the service opens its secrets also after a rename
 * of the stack. Throws SECRETS_PROVIDER_CHANGED. Source: docs/spec/journal.md#replay-of-entries.
 */
export async function requireSameManager(
  ports: Pick<ServicePorts, 'catalog' | 'blobs'>,
  stack: StackId,
  entries: readonly JournalEntry[],
): Promise<void> {
  const entry = entries.find(({ kind }) => kind === 'secrets-manager')
  if (entry?.kind !== 'secrets-manager' || entry.secretsProvider === undefined) return
  const { snapshot } = await requireStack(ports, stack)
  const state = await readSnapshotBlob(ports.blobs, snapshot)
  const { secrets_providers: stored } = state
  const { type, state: fields } = entry.secretsProvider
  if (stored === undefined || (stored.type === 'service' && type === 'service')) return
  const isSame = stored.type === type && isDeepStrictEqual(stored.state, fields)
  if (isSame || !containsCiphertext(state)) return
  throw createError(
    'SECRETS_PROVIDER_CHANGED',
    `the secrets of the state have another manager (${stored.type}) than the stack file (${type})`,
    {
      hint:
        'Restore the secrets provider of the stack file, and run `pulumi stack change-secrets-provider`. ' +
        'Or set PULUMI_DISABLE_JOURNALING=true for one update, which encrypts the whole state again.',
    },
  )
}

import { secretsManagerFieldOf } from '../stack/state-secrets-fields.ts'
import { createLockedError } from '../../shared/backends/lock-file.ts'
import type { ImportableEntry } from '../../shared/backends/import-backend-history.ts'
import { projectOfState } from '../../shared/backends/legacy-stacks.ts'
import type { Backend } from '../../shared/backends/open-backend.ts'
import {
  listHistoryKeys,
  readHistoryEntry,
  readHistoryState,
} from '../../shared/backends/stack-history.ts'
import { listLocks } from '../../shared/backends/stack-locks.ts'
import { parseCheckpointState, readCheckpoint } from '../../shared/backends/stack-objects.ts'
import { DeployError, createError } from '../../shared/errors/error.ts'
import { type StackId, stackIdOf, stackPartsOf } from '../../shared/records/ids.ts'
import { saltHint } from '../../shared/secrets/salt-hint.ts'
import { isKeyUrl } from '../../shared/secrets/key-url.ts'
import { applyStateEdit } from '../../shared/state/edits/apply-edit.ts'
import { decodeResource } from '../../shared/state/resource-codec.ts'
import type { StoredDeployment, StoredEnvelope } from '../../shared/state/stored.ts'
import { deploymentOfEnvelope } from '../../shared/state/unknown-fields.ts'
import type { CliSession } from '../session/session.ts'
import { containsCiphertext } from '../../shared/state/list-ciphertexts.ts'

/** A stack of a backend, as it is read for an import. */
export interface SourceStack {
  readonly id: StackId
  /** Null for a stack that has never run. */
  readonly state: StoredDeployment | null
  /** The history, oldest first. */
  readonly history: readonly ImportableEntry[]
}

/**
 * Reads a stack of a backend with its history, and checks its state. Throws STACK_NOT_FOUND,
 * BACKEND_LOCKED, BACKEND_INVALID, STATE_TOO_NEW, SECRETS_MANAGER_UNSUPPORTED, SECRETS_MALFORMED,
 * VALUE_MALFORMED, and without `force` STATE_FOREIGN and STATE_INTEGRITY.
 */
export async function readSourceStack(
  session: CliSession,
  backend: Backend,
  { id, force }: { readonly id: StackId; readonly force: boolean },
): Promise<SourceStack> {
  for (const lock of (await listLocks(backend, id)).values())
    throw createLockedError(stackPartsOf(id).stack, lock, Date.now())
  const object = await readCheckpoint(backend, id)
  if (object === undefined)
    throw createError(
      'STACK_NOT_FOUND',
      `the stack ${id} was removed from ${backend.store.address}`,
    )
  const state = deploymentOfEnvelope(parseCheckpointState(object))
  const target = backend.layout === 'legacy' ? findTarget(session, id, state) : id
  if (state !== null) checkState(state, { id: target, force, key: object.key })
  const history: ImportableEntry[] = []
  for (const key of await listHistoryKeys(backend, id))
    history.push({
      info: await readHistoryEntry(backend, key),
      readState: () => readUsableState(backend, key),
    })
  return { id: target, state, history }
}

/** Reads a state of the history. Returns undefined for a state that is damaged or too new. */
async function readUsableState(backend: Backend, key: string): Promise<StoredEnvelope | undefined> {
  try {
    return await readHistoryState(backend, key)
  } catch (thrown) {
    if (!(thrown instanceof DeployError)) throw thrown
    if (['BACKEND_INVALID', 'STATE_TOO_NEW'].includes(thrown.code)) return undefined
    throw thrown
  }
}

/**
 * Returns the new id of a stack of the legacy layout, which has no projects. The id gets the
 * project in the URNs of the state, or else the project of the folder.
 */
function findTarget(session: CliSession, id: StackId, state: StoredDeployment | null): StackId {
  const project = projectOfState(state) ?? session.requireProject().name
  return stackIdOf(project, stackPartsOf(id).stack)
}

/** Checks a state by an import into an empty stack. Only the errors of the import are used. */
function checkState(
  state: StoredDeployment,
  { id, force, key }: { readonly id: StackId; readonly force: boolean; readonly key: string },
): void {
  requireKnownManager(state, key)
  requireReadableValues(state, key)
  const emptyState: StoredDeployment = { manifest: state.manifest, metadata: {} }
  applyStateEdit(
    { kind: 'import', state: '', force },
    { before: emptyState, namedState: state, names: stackPartsOf(id) },
  )
}

/**
 * Throws VALUE_MALFORMED or SECRETS_MALFORMED for a resource with a value that no command could
 * read. The check decrypts no secret, so it needs no passphrase.
 */
function requireReadableValues(state: StoredDeployment, key: string): void {
  const resources = [
    ...(state.resources ?? []),
    ...(state.pending_operations ?? []).map(({ resource }) => resource),
  ]
  try {
    for (const resource of resources) decodeResource(resource, () => '"[secret]"', 'kept')
  } catch (thrown) {
    if (!(thrown instanceof DeployError)) throw thrown
    const { code, details, hint } = thrown
    throw createError(code, `${key}: ${thrown.message}`, { details, hint, cause: thrown })
  }
}

/**
 * Throws SECRETS_MANAGER_UNSUPPORTED or SECRETS_MALFORMED for a state whose secrets no command
 * could open.
 */
function requireKnownManager(state: StoredDeployment, key: string): void {
  const { type = '' } = state.secrets_providers ?? {}
  if (!containsCiphertext(state)) return
  if (type === '')
    throw createError('SECRETS_MALFORMED', `${key} has encrypted secrets, but names no manager`, {
      hint: 'Restore `secrets_providers` of the state from a backup of the backend.',
    })
  if (type === 'passphrase' && secretsManagerFieldOf(state, type, 'salt') === undefined)
    throw createError('SECRETS_MALFORMED', `the passphrase manager of ${key} has no salt`, {
      hint: saltHint,
    })
  const isKnown =
    isKeyUrl(secretsManagerFieldOf(state, 'cloud', 'url') ?? '') ||
    ['passphrase', 'service'].includes(type)
  if (isKnown) return
  throw createError(
    'SECRETS_MANAGER_UNSUPPORTED',
    `the secrets of ${key} have the manager '${type}', which is not supported`,
    { hint: 'Change it with `pulumi stack change-secrets-provider passphrase` first.' },
  )
}

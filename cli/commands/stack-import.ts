import { namesManager } from '../../shared/runtime/state/reseal-for-deployment.ts'
import { resolve } from 'node:path'
import { createError, hasCode } from '../../shared/errors/error.ts'
import type { SecretsManager } from '../../shared/secrets/crypter.ts'
import { emptyDeployment } from '../../shared/state/empty-deployment.ts'
import type { StackConfig } from '../../shared/programs/config/stack-config.ts'
import type { BlobHash, StackId } from '../../shared/records/ids.ts'
import { prepareToSeal } from '../../shared/secrets/prepare-to-seal.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { containsCiphertext } from '../../shared/state/list-ciphertexts.ts'
import { openServiceOfState, prepareState } from '../stack/service-secrets.ts'
import { hasSecretsManager } from '../stack/check-file-secrets.ts'
import { openStateManager, openStackFile, openStackManager } from '../stack/stack-secrets.ts'
import { readStateFile } from '../state/read-state-file.ts'

/**
 * `stack import`: replaces the state of a stack (docs/spec/state-format.md#export-and-import).
 * Secrets of the stack's own manager keep their ciphertexts. Other secrets are sealed with this
 * manager. Pending operations are dropped, and warnings name their resources. A state with an
 * invalid URN is always refused. Without --force, the command also refuses a state that is invalid,
 * has resources of another stack, or would empty the stack. Throws FILE_UNREADABLE, STATE_INVALID,
 * STATE_TOO_NEW, STATE_FOREIGN, STATE_INTEGRITY, STACK_NOT_EMPTY, SECRETS_MANAGER_UNSUPPORTED.
 * After an error the stack keeps its state.
 */
export const importStack: Handler = async (session, flags) => {
  if (flags.text('from') !== undefined)
    return (await import('./stack-import-backend.ts')).importFromBackend(session, flags)
  const id = await session.requireStack()
  const stateHash = await putImportedState(session, flags, id)
  const engine = await session.openEngine()
  const edit = { kind: 'import', state: stateHash, force: flags.isSet('force') } as const
  const { notices } = await engine.editState(id, edit)
  for (const notice of notices) session.printToStderr(`warning: ${notice}`)
  session.printToStderr('Import complete.')
  return 0
}

/**
 * Stores the imported state as a blob, sealed by the manager of the stack, and returns its hash.
 * The edit reads the state from the store again, so the memory of the state is free after the call.
 */
async function putImportedState(session: CliSession, flags: Flags, id: StackId): Promise<BlobHash> {
  const stateTools = await session.tools.loadState()
  const path = flags.text('file')
  const importedState = await readStateFile(
    session,
    path === undefined ? undefined : resolve(session.cwd, path),
  )
  const file = openStackFile(session, session.requireProject(), { stack: id })
  const stackManager =
    (await openServiceOfImport(session, id, { file, importedState })) ??
    (await openStackManager(session, id, file))
  const sourceManager =
    importedState === null
      ? stackManager
      : await openSourceManager(session, importedState, stackManager)
  const mode = sourceManager === stackManager ? 'kept' : 'sealed'
  const encodeWith = async (manager: SecretsManager): Promise<StoredDeployment> =>
    stateTools.recodeDeployment(importedState ?? emptyDeployment, sourceManager, { manager, mode })
  await prepareToSeal(stackManager, encodeWith)
  const engine = await session.openEngine()
  return engine.putState(id, await encodeWith(stackManager))
}

/**
 * Opens the secrets manager of the Pulumi service that sealed an imported state. As in Pulumi, the
 * stack's file then names no manager, and the stack keeps this manager until the user changes its
 * secrets provider. Returns undefined for a state with another manager, and for a stack that has a
 * manager or a state.
 */
async function openServiceOfImport(
  session: CliSession,
  id: StackId,
  {
    file,
    importedState,
  }: { readonly file: StackConfig; readonly importedState: StoredDeployment | null },
): Promise<SecretsManager | undefined> {
  if (hasSecretsManager(file) || importedState === null) return undefined
  const engine = await session.openEngine()
  if ((await engine.exportState(id)) !== undefined) return undefined
  return openServiceOfState(session, id, importedState)
}

/**
 * Returns the manager that decrypts a state. It is the manager of the stack if the state names it
 * or has no ciphertext, and otherwise the manager that the state names. Throws STATE_INVALID if a
 * state with ciphertext names no manager.
 */
async function openSourceManager(
  session: CliSession,
  state: StoredDeployment,
  stackManager: SecretsManager,
): Promise<SecretsManager> {
  if (namesManager(state, stackManager) || !containsCiphertext(state)) {
    await prepareState(stackManager, state)
    return stackManager
  }
  // The file may be the state of another stack. The user's own credentials then open its secrets.
  const manager = await openStateManager(session, state, { kind: 'any' }).catch(explainPassphrase)
  if (manager === undefined)
    throw createError(
      'STATE_INVALID',
      'the state contains encrypted secrets but names no secrets provider',
    )
  return manager
}

/**
 * Throws the error with which the manager of an imported state could not be opened. For a wrong
 * passphrase, the message of the new error says that another stack has encrypted the secrets.
 */
function explainPassphrase(thrown: unknown): never {
  if (!hasCode(thrown, 'SECRETS_PASSPHRASE_WRONG')) throw thrown
  throw createError(
    'SECRETS_PASSPHRASE_WRONG',
    'the passphrase does not open the secrets of the imported state, which another stack has encrypted',
    {
      cause: thrown,
      hint: 'Export the state with `stack export --show-secrets`, import that file, and remove it.',
    },
  )
}

import { namesManager } from '../../shared/runtime/state/reseal-for-deployment.ts'
import { createError, hasCode } from '../../shared/errors/error.ts'
import {
  hasSecure,
  isContainer,
  isSecure,
  replaceSecure,
} from '../../shared/programs/config/config-tree.ts'
import type { StackConfig } from '../../shared/programs/config/stack-config.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { SecretsManager } from '../../shared/secrets/crypter.ts'
import { keyStackOf } from '../../shared/secrets/key-stack.ts'
import { isKeyUrl } from '../../shared/secrets/key-url.ts'
import { prepareToSeal } from '../../shared/secrets/prepare-to-seal.ts'
import { isServiceUrl } from '../../shared/secrets/service-stack.ts'
import { digestOfResources } from '../../shared/state/edits/apply-edit.ts'
import { resealDeployment } from '../../shared/state/snapshot-codec.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import type { CliSession } from '../session/session.ts'
import { containsCiphertext } from '../../shared/state/list-ciphertexts.ts'
import { editConfirmedState } from '../state/edit-state.ts'
import { prepareConfig } from './service-secrets.ts'
import {
  askNewPassphrase,
  createStackManager,
  openFileManager,
  openStackFile,
  openStateManager,
  openStateManagerWithPassphrase,
  requireSupportedProvider,
  saveManager,
} from './stack-secrets.ts'

/** The managers before and after a change of the secrets provider. */
interface ManagerChange {
  /** The manager of the stack file. Undefined if the file has no encrypted value. */
  readonly fileManager: SecretsManager | undefined
  readonly newManager: SecretsManager
  /** The new passphrase, if it replaces the previous passphrase of the stack file. */
  readonly newPassphrase: string | undefined
}

/** Any data key is allowed: the user's own credentials open it, even if it names another stack. */
const allKeys = { kind: 'any' } as const

/**
 * Encrypts the state and the configuration of a stack with a new manager. The state is written
 * before the stack file: if a deployment runs, the change is refused while both are unchanged.
 * State and stack file each name their own manager. After an interruption between the two writes,
 * the same call opens both managers and completes the change. Throws FEATURE_MISSING, STACK_BUSY,
 * STORE_CONFLICT, PENDING_STILL_RUNS, SECRETS_*, and FILE_UNWRITABLE when the file cannot be
 * written.
 */
export async function changeSecretsProvider(
  session: CliSession,
  stack: StackId,
  provider: string,
): Promise<void> {
  requireSupportedProvider(provider)
  const file = openStackFile(session, session.requireProject(), { stack })
  const engine = await session.openEngine()
  const state = await engine.exportState(stack)
  const fileManager = await openFileManagerIfNeeded(session, file, state)
  const newPassphrase = mustReplacePassphrase(file, provider)
    ? await readNewPassphrase(session)
    : undefined
  const newManager =
    newPassphrase === undefined
      ? await createStackManager(session, stack, provider)
      : await (await session.tools.loadSecrets()).createWithPassphrase(newPassphrase)
  const change = { fileManager, newManager, newPassphrase }
  if (state !== undefined) await resealState(session, { stack, state }, change)
  resealConfig(file, change)
  saveManager(file, newManager, state !== undefined)
}

/**
 * Creates a new data key for a renamed stack whose data key names the old stack. Throws the errors
 * of `changeSecretsProvider`.
 */
export async function renewKeyOfOldName(session: CliSession, stack: StackId): Promise<void> {
  const { provider } = openStackFile(session, session.requireProject(), {
    stack,
  }).getSecretsSettings()
  const keyStack = isKeyUrl(provider) ? keyStackOf(provider) : undefined
  if (keyStack === undefined || keyStack === stack) return
  await changeSecretsProvider(session, stack, provider)
  session.printToStderr(`Created a data key for ${stack}.`)
}

/**
 * Opens the manager of a stack file, or that of the state if the file names none. Returns undefined
 * if the file has no encrypted values.
 */
async function openFileManagerIfNeeded(
  session: CliSession,
  file: StackConfig,
  state: StoredDeployment | undefined,
): Promise<SecretsManager | undefined> {
  if (![...file.getValues().values()].some(hasSecure)) return undefined
  const manager =
    (await openFileManager(session, file.getSecretsSettings(), allKeys)) ??
    (state === undefined ? undefined : await openStateManager(session, state, allKeys))
  if (manager !== undefined) {
    await prepareConfig(manager, file)
    return manager
  }
  throw createError(
    'SECRETS_MALFORMED',
    `${file.path} has encrypted values but no secrets provider`,
  )
}

/**
 * Reports whether a new passphrase replaces another one. The environment variables of the
 * passphrase then have the previous one.
 */
function mustReplacePassphrase(file: StackConfig, provider: string): boolean {
  const { provider: oldProvider, encryptionSalt } = file.getSecretsSettings()
  const isPassphrase = (name: string) => !isKeyUrl(name) && !isServiceUrl(name)
  return encryptionSalt !== '' && isPassphrase(oldProvider) && isPassphrase(provider)
}

/**
 * Asks for a new passphrase in a terminal, or reads the first line of standard input. Throws
 * SECRETS_PASSPHRASE_MISSING for no input, SECRETS_PASSPHRASE_WRONG for a different second line.
 */
async function readNewPassphrase(session: CliSession): Promise<string> {
  if (session.mayPrompt) return askNewPassphrase(session)
  const input = session.io.isTerminal ? '' : await session.io.readInput()
  const [passphrase = '', repeatedPassphrase = ''] = input.split(/\r?\n/)
  if (passphrase === '')
    throw createError('SECRETS_PASSPHRASE_MISSING', 'the new passphrase is missing', {
      hint: 'Run the command in a terminal, or pass the new passphrase on standard input.',
    })
  if (![passphrase, ''].includes(repeatedPassphrase))
    throw createError('SECRETS_PASSPHRASE_WRONG', 'the passphrases do not match')
  return passphrase
}

/** Writes the state with the new manager. An interrupted deployment is closed first. */
async function resealState(
  session: CliSession,
  { stack, state }: { readonly stack: StackId; readonly state: StoredDeployment },
  change: ManagerChange,
): Promise<void> {
  const oldManager = containsCiphertext(state)
    ? await openOldStateManager(session, state, change)
    : undefined
  const decrypt = oldManager?.crypter.decrypt ?? throwUnexpectedSecret
  const resealWith = (manager: SecretsManager) => resealDeployment(state, decrypt, manager)
  await prepareToSeal(change.newManager, resealWith)
  const resealedState = resealWith(change.newManager)
  const engine = await session.openEngine()
  const stateHash = await engine.putState(stack, resealedState)
  const edit = { kind: 'secrets', state: stateHash, expected: digestOfResources(state) } as const
  await editConfirmedState(session, { stack, confirm: async () => true, edit })
}

function throwUnexpectedSecret(): never {
  throw createError('STATE_INVALID', 'the state has a secret that no secrets manager can open')
}

/**
 * Opens the manager of a state with encrypted values. After an interrupted change of the
 * passphrase, the state already has the new passphrase. Throws SECRETS_*.
 */
async function openOldStateManager(
  session: CliSession,
  state: StoredDeployment,
  { fileManager, newPassphrase }: ManagerChange,
): Promise<SecretsManager> {
  if (fileManager !== undefined && namesManager(state, fileManager)) return fileManager
  const manager = await openStateManager(session, state, allKeys).catch((thrown: unknown) => {
    if (newPassphrase === undefined || !hasCode(thrown, 'SECRETS_PASSPHRASE_WRONG')) throw thrown
    return openStateManagerWithPassphrase(session, state, newPassphrase)
  })
  if (manager !== undefined) return manager
  throw createError(
    'SECRETS_MALFORMED',
    'the state has encrypted secrets but names no secrets provider',
  )
}

/** Encrypts the values of a stack file with the new manager. The file is not written. */
function resealConfig(file: StackConfig, { fileManager, newManager }: ManagerChange): void {
  if (fileManager === undefined) return
  for (const [key, value] of file.getValues()) {
    if (!hasSecure(value)) continue
    const newValue = replaceSecure(value, ciphertext => ({
      kind: 'secure',
      ciphertext: newManager.crypter.encrypt(fileManager.crypter.decrypt(ciphertext)),
    }))
    if (isSecure(newValue) || isContainer(newValue)) file.set(key, newValue)
  }
}

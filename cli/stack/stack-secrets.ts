import { createError } from '../../shared/errors/error.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import {
  readStackConfig,
  type StackConfig,
  type StackSecrets,
  writeStackConfig,
} from '../../shared/programs/config/stack-config.ts'
import { stackConfigFileOf } from '../../shared/programs/config/stack-config-file.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { SecretsManager } from '../../shared/secrets/crypter.ts'
import { type AllowedKeys, withKeyStack } from '../../shared/secrets/key-stack.ts'
import { isKeyUrl } from '../../shared/secrets/key-url.ts'
import { saltHint } from '../../shared/secrets/salt-hint.ts'
import { requireValidKeyUrl } from '../../shared/secrets/parse-key-url.ts'
import {
  formatServiceUrl,
  isServiceUrl,
  parseServiceState,
  parseServiceUrl,
} from '../../shared/secrets/service-stack.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { resolve } from 'node:path'
import type { CliSession } from '../session/session.ts'
import type { SealedKey } from '../session/tools.ts'
import { refuseForeignValues } from './check-file-secrets.ts'
import { readManagerUrl, stackOfService, stateKeyOf, stateSaltOf } from './state-secrets-fields.ts'
import {
  openServiceOfState,
  openServiceUrl,
  prepareConfig,
  prepareState,
} from './service-secrets.ts'

/** Opens the configuration file of a stack, or the file that `target.file` names instead. */
export function openStackFile(
  session: CliSession,
  project: Project,
  target: { readonly stack: StackId; readonly file?: string | undefined },
): StackConfig {
  const path =
    target.file === undefined
      ? stackConfigFileOf(project, stackPartsOf(target.stack).stack)
      : resolve(session.cwd, target.file)
  return readStackConfig(path, project.name)
}

/**
 * Opens the secrets manager that the stack's file names (docs/spec/secrets.md#choice-of-manager).
 * If the file names none, the manager of the state or a new manager is used, and saved in the file.
 * Prompts for the passphrase in a terminal. Throws SECRETS_PASSPHRASE_MISSING,
 * SECRETS_PASSPHRASE_WRONG, SECRETS_PROVIDER_CHANGED, SECRETS_STACK_DIFFERS, FEATURE_MISSING, and
 * the errors of the stack's key.
 */
export async function openStackManager(
  session: CliSession,
  stack: StackId,
  config: StackConfig,
): Promise<SecretsManager> {
  const secrets = config.getSecretsSettings()
  const fileManager = await openFileManager(session, secrets, ownKeysOf(stack))
  if (fileManager !== undefined) {
    await prepareConfig(fileManager, config)
    return fileManager
  }
  const { provider } = secrets
  const engine = await session.openEngine()
  const state = await engine.exportState(stack)
  requireSameProvider(state, provider, stack)
  const stateManager = await openMatchingStateManager(session, state, { provider, stack })
  if (stateManager === undefined) refuseForeignValues(config)
  const manager = stateManager ?? (await createStackManager(session, stack, provider))
  // A stack file does not name the service that the state names, so nothing is saved.
  if (manager.type === 'service') await prepareConfig(manager, config)
  else saveManager(config, manager)
  return manager
}

/**
 * Returns the data keys that commands open for a stack. A data key without a stack is allowed,
 * because Pulumi or an earlier version of Antichain created it, and the user's own credentials open
 * it.
 */
export function ownKeysOf(stack: StackId): AllowedKeys {
  return { kind: 'own-or-unnamed', stack }
}

/**
 * Opens the secrets manager of a stack's file. Returns undefined when the file names no service and
 * has neither a data key nor a salt. Throws FEATURE_MISSING, and the errors of `openStackManager`.
 */
export async function openFileManager(
  session: CliSession,
  { provider, encryptedKey, encryptionSalt }: StackSecrets,
  allowed: AllowedKeys,
): Promise<SecretsManager | undefined> {
  if (isServiceUrl(provider)) return openServiceUrl(session, provider)
  if (isKeyUrl(provider)) {
    if (encryptedKey === '') return undefined
    return openWithKey(session, { url: provider, encryptedKey }, allowed)
  }
  requireSupportedProvider(provider)
  return encryptionSalt === '' ? undefined : openWithPassphrase(session, encryptionSalt)
}

/**
 * Refuses a key in `provider` if the state has another secrets provider, because the secrets of the
 * state would be unreadable. Throws SECRETS_PROVIDER_CHANGED.
 */
function requireSameProvider(
  state: StoredDeployment | undefined,
  provider: string,
  stack: StackId,
): void {
  const type = state?.secrets_providers?.type ?? ''
  if (!isKeyUrl(provider) || type === '' || hasKey(state, provider, stack)) return
  throw createError(
    'SECRETS_PROVIDER_CHANGED',
    'the state of the stack has another secrets provider',
  )
}

/** Reports whether a state has the key of a URL. The URL may name the stack or not. */
function hasKey(state: StoredDeployment | undefined, url: string, stack: StackId): boolean {
  return isKeyUrl(url) && [url, withKeyStack(url, stack)].includes(stateKeyOf(state)?.url ?? '')
}

/** Throws FEATURE_MISSING for an unsupported provider, SECRETS_URL_INVALID for a wrong key URL. */
export function requireSupportedProvider(provider: string): void {
  if (isKeyUrl(provider)) return requireValidKeyUrl(provider)
  if (isServiceUrl(provider) || provider === 'service') return void parseServiceUrl(provider)
  if (['', 'default', 'passphrase'].includes(provider)) return
  throw createError('FEATURE_MISSING', `the secrets provider '${provider}' is not supported yet`)
}

/**
 * Creates a manager of a stack: with a data key that a key service seals, with a stack of a
 * service, or with a passphrase. Throws SECRETS_URL_INVALID, SECRETS_PASSPHRASE_MISSING,
 * SECRETS_PASSPHRASE_WRONG, STORE_*.
 */
export async function createStackManager(
  session: CliSession,
  stack: StackId,
  provider: string,
): Promise<SecretsManager> {
  const secrets = await session.tools.loadSecrets()
  if (isServiceUrl(provider)) {
    const manager = await openServiceUrl(session, provider)
    // The first request proves that the stack exists and that the token may use it.
    await manager.prepare?.({ ciphertexts: [], plaintexts: [''] })
    return manager
  }
  if (isKeyUrl(provider)) return secrets.createWithKey({ url: provider, stack }, session.io.env)
  const presetPassphrase = await secrets.readPassphrase(session.io.env)
  return secrets.createWithPassphrase(presetPassphrase ?? (await askNewPassphrase(session)))
}

/**
 * Writes the secrets manager to the stack's file. If the state names a service (`isInState`), the
 * service is not written, as in Pulumi. Throws FILE_UNWRITABLE.
 */
export function saveManager(
  config: StackConfig,
  { type, state }: SecretsManager,
  isInState = false,
): void {
  const { salt, url, encryptedkey } = state
  if (type === 'service')
    config.setService(isInState ? '' : formatServiceUrl(parseServiceState(state)))
  else if (salt !== undefined) config.setSalt(salt)
  else if (url !== undefined && encryptedkey !== undefined) config.setKey(url, encryptedkey)
  else return
  writeStackConfig(config)
}

/**
 * Opens the manager that a state names, or returns undefined if the state names none. Throws
 * SECRETS_MANAGER_UNSUPPORTED for an unsupported type, and the errors of opening the manager.
 */
export async function openStateManager(
  session: CliSession,
  state: StoredDeployment,
  allowed: AllowedKeys,
): Promise<SecretsManager | undefined> {
  const type = state.secrets_providers?.type
  if (type === undefined || type === '') return undefined
  const manager = await openSupportedStateManager(session, state, allowed)
  if (manager !== undefined) await prepareState(manager, state)
  if (manager === undefined) throw createUnsupportedError(type, state)
  return manager
}

/** Returns the error for a manager that cannot be opened. Its type or its fields are the reason. */
function createUnsupportedError(type: string, state: StoredDeployment): Error {
  if (type === 'passphrase')
    return createError('SECRETS_MALFORMED', 'the passphrase manager of this state has no salt', {
      hint: saltHint,
    })
  const url = type === 'cloud' ? readManagerUrl(state) : undefined
  const detail = url === undefined ? '' : ` with the key '${url}'`
  return createError(
    'SECRETS_MANAGER_UNSUPPORTED',
    `the state uses the secrets manager '${type}'${detail}, which is not supported`,
  )
}

/**
 * Opens the passphrase manager of a state with a passphrase. Returns undefined for a state with
 * another manager. Throws SECRETS_PASSPHRASE_WRONG.
 */
export async function openStateManagerWithPassphrase(
  session: CliSession,
  state: StoredDeployment,
  passphrase: string,
): Promise<SecretsManager | undefined> {
  const salt = stateSaltOf(state)
  if (salt === undefined) return undefined
  return (await session.tools.loadSecrets()).openWithPassphrase(salt, passphrase)
}

/** Opens the manager of a state. Returns undefined if `provider` of the file contradicts it. */
async function openMatchingStateManager(
  session: CliSession,
  state: StoredDeployment | undefined,
  { provider, stack }: { readonly provider: string; readonly stack: StackId },
): Promise<SecretsManager | undefined> {
  const allowed = ownKeysOf(stack)
  const key = stateKeyOf(state)
  const isSameKey = provider === '' || hasKey(state, provider, stack)
  if (key !== undefined && isSameKey) return openWithKey(session, key, allowed)
  if (provider === '') {
    const serviceManager = await openServiceOfState(session, stack, state)
    if (serviceManager !== undefined) return serviceManager
  }
  const salt = stateSaltOf(state)
  if (salt === undefined || isKeyUrl(provider)) return undefined
  return openWithPassphrase(session, salt)
}

/** Opens the manager of a state. Returns undefined if its type is not supported. */
async function openSupportedStateManager(
  session: CliSession,
  state: StoredDeployment,
  allowed: AllowedKeys,
): Promise<SecretsManager | undefined> {
  const key = stateKeyOf(state)
  if (key !== undefined) return openWithKey(session, key, allowed)
  const stack = allowed.kind === 'any' ? stackOfService(state) : (allowed.stack as StackId)
  const serviceManager = await openServiceOfState(session, stack, state)
  if (serviceManager !== undefined) return serviceManager
  const salt = stateSaltOf(state)
  return salt === undefined ? undefined : openWithPassphrase(session, salt)
}

async function openWithKey(
  session: CliSession,
  sealedKey: SealedKey,
  allowed: AllowedKeys,
): Promise<SecretsManager> {
  return (await session.tools.loadSecrets()).openWithKey(sealedKey, allowed, session.io.env)
}

async function openWithPassphrase(session: CliSession, salt: string): Promise<SecretsManager> {
  const secrets = await session.tools.loadSecrets()
  const presetPassphrase = await secrets.readPassphrase(session.io.env)
  return secrets.openWithPassphrase(
    salt,
    presetPassphrase ?? (await askPassphrase(session, 'Enter the passphrase of the stack:')),
  )
}

/** Asks for a new passphrase twice. Throws SECRETS_PASSPHRASE_MISSING, SECRETS_PASSPHRASE_WRONG. */
export async function askNewPassphrase(session: CliSession): Promise<string> {
  const newPassphrase = await askPassphrase(
    session,
    'Enter a new passphrase for the secrets of the stack:',
  )
  const repeatedPassphrase = await askPassphrase(session, 'Enter the passphrase again:')
  if (newPassphrase === repeatedPassphrase) return newPassphrase
  throw createError('SECRETS_PASSPHRASE_WRONG', 'the passphrases do not match')
}

async function askPassphrase(session: CliSession, question: string): Promise<string> {
  if (!session.mayPrompt)
    throw createError('SECRETS_PASSPHRASE_MISSING', 'the passphrase of the stack is not set')
  return session.io.promptHidden(question)
}

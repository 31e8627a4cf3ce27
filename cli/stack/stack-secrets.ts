import { error } from '../../shared/errors/error.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import {
  readStackConfig,
  type StackConfig,
  stackConfigFileOf,
  writeStackConfig,
} from '../../shared/programs/config/stack-config.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { SecretsManager } from '../../shared/secrets/crypter.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { resolve } from 'node:path'
import type { CliSession } from '../session/session.ts'
import type { SealedKey } from '../session/tools.ts'

/** Opens the configuration file of a stack, or the file that `file` names instead. */
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
 * SECRETS_PASSPHRASE_WRONG, FEATURE_MISSING, and the errors of the stack's key.
 */
export async function openStackManager(
  session: CliSession,
  stack: StackId,
  config: StackConfig,
): Promise<SecretsManager> {
  const { provider, encryptedKey, encryptionSalt } = config.getSecrets()
  if (isKeyUrl(provider) && encryptedKey !== '')
    return openWithKey(session, { url: provider, encryptedKey })
  requireSupportedProvider(provider)
  if (encryptionSalt !== '' && !isKeyUrl(provider)) return openManager(session, encryptionSalt)
  const engine = await session.openEngine()
  const storedState = await engine.exportState(stack)
  requireSameProvider(storedState, provider)
  const manager =
    (await openMatchingStateManager(session, storedState, provider)) ??
    (isKeyUrl(provider) ? await createKeyManager(session, provider) : await createManager(session))
  saveManager(config, manager)
  return manager
}

/**
 * Refuses a key other than the key of the state, because the secrets of the state would be
 * unreadable. Throws SECRETS_PROVIDER_CHANGED.
 */
function requireSameProvider(storedState: StoredDeployment | undefined, provider: string): void {
  const type = storedState?.secrets_providers?.type ?? ''
  if (!isKeyUrl(provider) || type === '' || stateKeyOf(storedState)?.url === provider) return
  throw error('SECRETS_PROVIDER_CHANGED', 'the state of the stack has another secrets provider')
}

/** Reports whether a secrets provider is a key of KMS. */
export function isKeyUrl(provider: string): boolean {
  return provider.startsWith('awskms://')
}

/** Throws FEATURE_MISSING for an unsupported secrets provider. */
export function requireSupportedProvider(provider: string): void {
  if (isKeyUrl(provider) || ['', 'default', 'passphrase'].includes(provider)) return
  throw error('FEATURE_MISSING', `the secrets provider '${provider}' is not supported yet`)
}

/**
 * Creates a manager with a new data key, sealed by a key of KMS. Throws SECRETS_URL_INVALID,
 * STORE_*.
 */
export async function createKeyManager(session: CliSession, url: string): Promise<SecretsManager> {
  return (await session.tools.loadSecrets()).createWithKey(url, session.io.env)
}

/** Writes the secrets manager to the stack's file. Throws CONFIG_INVALID. */
export function saveManager(config: StackConfig, { state }: SecretsManager): void {
  const { salt, url, encryptedkey } = state
  if (salt !== undefined) config.setSalt(salt)
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
  deployment: StoredDeployment,
): Promise<SecretsManager | undefined> {
  const type = deployment.secrets_providers?.type
  if (type === undefined || type === '') return undefined
  const manager = await openKnownStateManager(session, deployment)
  if (manager === undefined)
    throw error(
      'SECRETS_MANAGER_UNSUPPORTED',
      `the state uses the secrets manager '${type}', which is not supported`,
    )
  return manager
}

/** Opens the manager of the state, if the file names none or the same one. */
async function openMatchingStateManager(
  session: CliSession,
  storedState: StoredDeployment | undefined,
  provider: string,
): Promise<SecretsManager | undefined> {
  const key = stateKeyOf(storedState)
  if (key !== undefined && (provider === '' || provider === key.url))
    return openWithKey(session, key)
  const salt = stateSaltOf(storedState)
  return salt === undefined || isKeyUrl(provider) ? undefined : openManager(session, salt)
}

/** Opens the manager of the state, if its type is supported. */
async function openKnownStateManager(
  session: CliSession,
  storedState: StoredDeployment,
): Promise<SecretsManager | undefined> {
  const key = stateKeyOf(storedState)
  if (key !== undefined) return openWithKey(session, key)
  const salt = stateSaltOf(storedState)
  return salt === undefined ? undefined : openManager(session, salt)
}

async function openWithKey(session: CliSession, sealedKey: SealedKey): Promise<SecretsManager> {
  return (await session.tools.loadSecrets()).openWithKey(sealedKey, session.io.env)
}

async function openManager(session: CliSession, salt: string): Promise<SecretsManager> {
  const secrets = await session.tools.loadSecrets()
  const presetPassphrase = await secrets.readPassphrase(session.io.env)
  return secrets.open(
    salt,
    presetPassphrase ?? (await askPassphrase(session, 'Enter the passphrase of the stack:')),
  )
}

async function createManager(session: CliSession): Promise<SecretsManager> {
  const secrets = await session.tools.loadSecrets()
  const presetPassphrase = await secrets.readPassphrase(session.io.env)
  if (presetPassphrase !== undefined) return secrets.create(presetPassphrase)
  const newPassphrase = await askPassphrase(
    session,
    'Enter a new passphrase for the secrets of the stack:',
  )
  const repeatedPassphrase = await askPassphrase(session, 'Enter the passphrase again:')
  if (newPassphrase !== repeatedPassphrase)
    throw error('SECRETS_PASSPHRASE_WRONG', 'the passphrases do not match')
  return secrets.create(newPassphrase)
}

async function askPassphrase(session: CliSession, question: string): Promise<string> {
  if (!session.mayPrompt)
    throw error('SECRETS_PASSPHRASE_MISSING', 'the passphrase of the stack is not set')
  return session.io.promptHidden(question)
}

function stateSaltOf(deployment: StoredDeployment | undefined): string | undefined {
  return managerFieldOf(deployment, 'passphrase', 'salt')
}

function stateKeyOf(deployment: StoredDeployment | undefined): SealedKey | undefined {
  const url = managerFieldOf(deployment, 'cloud', 'url')
  const encryptedKey = managerFieldOf(deployment, 'cloud', 'encryptedkey')
  if (url === undefined || encryptedKey === undefined || !isKeyUrl(url)) return undefined
  return { url, encryptedKey }
}

/** Returns a field of the state's manager, if the manager has this type. */
function managerFieldOf(
  deployment: StoredDeployment | undefined,
  type: string,
  field: string,
): string | undefined {
  const provider = deployment?.secrets_providers
  const state = provider?.state
  if (provider?.type !== type || !isObject(state)) return undefined
  const text: unknown = state[field]
  return typeof text === 'string' ? text : undefined
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

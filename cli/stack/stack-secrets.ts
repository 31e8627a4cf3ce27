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

/** Opens the configuration file of a stack; `file` names another one. */
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
 * The manager of a stack's secrets, as its file says (docs/spec/secrets.md#choice-of-manager);
 * where the file says nothing, that of its state, else a new one, which is then written to the
 * file. Asks for the passphrase at a terminal. Throws SECRETS_PASSPHRASE_MISSING,
 * SECRETS_PASSPHRASE_WRONG, FEATURE_MISSING, and what the key of the stack throws.
 */
export async function openStackManager(
  session: CliSession,
  stack: StackId,
  config: StackConfig,
): Promise<SecretsManager> {
  const { provider, encryptedKey, encryptionSalt } = config.getSecrets()
  if (isKeyUrl(provider) && encryptedKey !== '')
    return openUnderKey(session, { url: provider, encryptedKey })
  requireSupportedProvider(provider)
  if (encryptionSalt !== '' && !isKeyUrl(provider)) return openManager(session, encryptionSalt)
  const local = await session.openEngine()
  const stored = await local.exportState(stack)
  requireSameProvider(stored, provider)
  const manager =
    (await openMatchingStateManager(session, stored, provider)) ??
    (isKeyUrl(provider) ? await createKeyManager(session, provider) : await createManager(session))
  saveManager(config, manager)
  return manager
}

/** What another key sealed could not be read. Throws SECRETS_PROVIDER_CHANGED. */
function requireSameProvider(stored: StoredDeployment | undefined, provider: string): void {
  const type = stored?.secrets_providers?.type ?? ''
  if (!isKeyUrl(provider) || type === '' || stateKeyOf(stored)?.url === provider) return
  throw error('SECRETS_PROVIDER_CHANGED', 'the state of the stack keeps its secrets in another way')
}

/** Whether a secrets provider is a key in KMS. */
export function isKeyUrl(provider: string): boolean {
  return provider.startsWith('awskms://')
}

/** Throws FEATURE_MISSING for a provider that cannot be used here. */
export function requireSupportedProvider(provider: string): void {
  if (isKeyUrl(provider) || ['', 'default', 'passphrase'].includes(provider)) return
  throw error('FEATURE_MISSING', `the secrets provider '${provider}' is not supported yet`)
}

/** A manager with a new data key under a key of KMS. Throws SECRETS_URL_INVALID, STORE_*. */
export async function createKeyManager(session: CliSession, url: string): Promise<SecretsManager> {
  return (await session.tools.loadSecrets()).createUnderKey(url, session.io.env)
}

/** Writes into a stack's file how its secrets are kept. Throws CONFIG_INVALID. */
export function saveManager(config: StackConfig, { state }: SecretsManager): void {
  const { salt, url, encryptedkey } = state
  if (salt !== undefined) config.setSalt(salt)
  else if (url !== undefined && encryptedkey !== undefined) config.setKey(url, encryptedkey)
  else return
  writeStackConfig(config)
}

/**
 * The manager that a state names. Throws SECRETS_MANAGER_UNSUPPORTED by its type, and what opening
 * throws; undefined when the state names none.
 */
export async function openStateManager(
  session: CliSession,
  deployment: StoredDeployment,
): Promise<SecretsManager | undefined> {
  const type = deployment.secrets_providers?.type
  if (type === undefined || type === '') return undefined
  const found = await openKnownStateManager(session, deployment)
  if (found === undefined)
    throw error(
      'SECRETS_MANAGER_UNSUPPORTED',
      `the secrets of this state are kept by the manager '${type}', which cannot be opened here`,
    )
  return found
}

/** The manager of the state, if the file names none or the same. */
async function openMatchingStateManager(
  session: CliSession,
  stored: StoredDeployment | undefined,
  provider: string,
): Promise<SecretsManager | undefined> {
  const key = stateKeyOf(stored)
  if (key !== undefined && (provider === '' || provider === key.url))
    return openUnderKey(session, key)
  const salt = stateSaltOf(stored)
  return salt === undefined || isKeyUrl(provider) ? undefined : openManager(session, salt)
}

/** The manager of the state, of the kinds that are known here. */
async function openKnownStateManager(
  session: CliSession,
  stored: StoredDeployment,
): Promise<SecretsManager | undefined> {
  const key = stateKeyOf(stored)
  if (key !== undefined) return openUnderKey(session, key)
  const salt = stateSaltOf(stored)
  return salt === undefined ? undefined : openManager(session, salt)
}

async function openUnderKey(session: CliSession, sealed: SealedKey): Promise<SecretsManager> {
  return (await session.tools.loadSecrets()).openUnderKey(sealed, session.io.env)
}

async function openManager(session: CliSession, salt: string): Promise<SecretsManager> {
  const secrets = await session.tools.loadSecrets()
  const known = await secrets.readPassphrase(session.io.env)
  return secrets.open(salt, known ?? (await askPassphrase(session, 'Passphrase of the stack:')))
}

async function createManager(session: CliSession): Promise<SecretsManager> {
  const secrets = await session.tools.loadSecrets()
  const known = await secrets.readPassphrase(session.io.env)
  if (known !== undefined) return secrets.create(known)
  const first = await askPassphrase(session, 'New passphrase for the secrets of the stack:')
  const second = await askPassphrase(session, 'The same again:')
  if (first !== second) throw error('SECRETS_PASSPHRASE_WRONG', 'the two passphrases differ')
  return secrets.create(first)
}

async function askPassphrase(session: CliSession, question: string): Promise<string> {
  if (!session.interactive)
    throw error('SECRETS_PASSPHRASE_MISSING', 'the passphrase of the stack is not given')
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

/** What a state says of its manager, if that is of a type. */
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

import { error } from '../shared/errors/error.ts'
import type { Project } from '../shared/programs/project.ts'
import {
  readStackConfig,
  type StackConfig,
  stackConfigFile,
  writeStackConfig,
} from '../shared/programs/stack-config.ts'
import { type StackId, stackPartsOf } from '../shared/records/ids.ts'
import type { SecretsManager } from '../shared/secrets/crypter.ts'
import type { StoredDeployment } from '../shared/state/stored.ts'
import { resolve } from 'node:path'
import type { Session } from './session.ts'
import type { SealedKey } from './tools.ts'

/** Opens the configuration file of a stack; `file` names another one. */
export function openStackFile(
  session: Session,
  project: Project,
  given: { readonly stack: StackId; readonly file?: string | undefined },
): StackConfig {
  const path =
    given.file === undefined
      ? stackConfigFile(project, stackPartsOf(given.stack).stack)
      : resolve(session.cwd, given.file)
  return readStackConfig(path, project.name)
}

/**
 * The manager of a stack's secrets, as its file says (docs/spec/secrets.md#choice-of-manager);
 * where the file says nothing, that of its state, else a new one, which is then written to the
 * file. Asks for the passphrase at a terminal. Throws SECRETS_PASSPHRASE_MISSING,
 * SECRETS_PASSPHRASE_WRONG, FEATURE_MISSING, and what the key of the stack throws.
 */
export async function stackManager(
  session: Session,
  stack: StackId,
  config: StackConfig,
): Promise<SecretsManager> {
  const { provider, encryptedKey, encryptionSalt } = config.secrets()
  if (isKeyUrl(provider) && encryptedKey !== '')
    return openUnderKey(session, { url: provider, encryptedKey })
  requireKnown(provider)
  if (encryptionSalt !== '' && !isKeyUrl(provider)) return openManager(session, encryptionSalt)
  const local = await session.local()
  const stored = await local.exportState(stack)
  requireSame(stored, provider)
  const manager =
    (await sameAsState(session, stored, provider)) ??
    (isKeyUrl(provider) ? await newUnderKey(session, provider) : await newManager(session))
  keepManager(config, manager)
  return manager
}

/** What another key sealed could not be read. Throws SECRETS_PROVIDER_CHANGED. */
function requireSame(stored: StoredDeployment | undefined, provider: string): void {
  const type = stored?.secrets_providers?.type ?? ''
  if (!isKeyUrl(provider) || type === '' || keyOf(stored)?.url === provider) return
  throw error('SECRETS_PROVIDER_CHANGED', 'the state of the stack keeps its secrets in another way')
}

/** Whether a secrets provider is a key in KMS. */
export function isKeyUrl(provider: string): boolean {
  return provider.startsWith('awskms://')
}

/** Throws FEATURE_MISSING for a provider that cannot be used here. */
export function requireKnown(provider: string): void {
  if (isKeyUrl(provider) || ['', 'default', 'passphrase'].includes(provider)) return
  throw error('FEATURE_MISSING', `the secrets provider '${provider}' is not supported yet`)
}

/** A manager with a new data key under a key of KMS. Throws SECRETS_URL_INVALID, STORE_*. */
export async function newUnderKey(session: Session, url: string): Promise<SecretsManager> {
  return (await session.tools.secrets()).createUnderKey(url, session.io.env)
}

/** Writes into a stack's file how its secrets are kept. Throws CONFIG_INVALID. */
export function keepManager(config: StackConfig, { state }: SecretsManager): void {
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
export async function managerOfState(
  session: Session,
  deployment: StoredDeployment,
): Promise<SecretsManager | undefined> {
  const type = deployment.secrets_providers?.type
  if (type === undefined || type === '') return undefined
  const found = await openedAs(session, deployment)
  if (found === undefined)
    throw error(
      'SECRETS_MANAGER_UNSUPPORTED',
      `the secrets of this state are kept by the manager '${type}', which cannot be opened here`,
    )
  return found
}

/** The manager of the state, if the file names none or the same. */
async function sameAsState(
  session: Session,
  stored: StoredDeployment | undefined,
  provider: string,
): Promise<SecretsManager | undefined> {
  const key = keyOf(stored)
  if (key !== undefined && (provider === '' || provider === key.url))
    return openUnderKey(session, key)
  const salt = saltOf(stored)
  return salt === undefined || isKeyUrl(provider) ? undefined : openManager(session, salt)
}

/** The manager of the state, of the kinds that are known here. */
async function openedAs(
  session: Session,
  stored: StoredDeployment,
): Promise<SecretsManager | undefined> {
  const key = keyOf(stored)
  if (key !== undefined) return openUnderKey(session, key)
  const salt = saltOf(stored)
  return salt === undefined ? undefined : openManager(session, salt)
}

async function openUnderKey(session: Session, sealed: SealedKey): Promise<SecretsManager> {
  return (await session.tools.secrets()).openUnderKey(sealed, session.io.env)
}

async function openManager(session: Session, salt: string): Promise<SecretsManager> {
  const secrets = await session.tools.secrets()
  const known = await secrets.passphrase(session.io.env)
  return secrets.open(salt, known ?? (await askPassphrase(session, 'Passphrase of the stack:')))
}

async function newManager(session: Session): Promise<SecretsManager> {
  const secrets = await session.tools.secrets()
  const known = await secrets.passphrase(session.io.env)
  if (known !== undefined) return secrets.create(known)
  const first = await askPassphrase(session, 'New passphrase for the secrets of the stack:')
  const second = await askPassphrase(session, 'The same again:')
  if (first !== second) throw error('SECRETS_PASSPHRASE_WRONG', 'the two passphrases differ')
  return secrets.create(first)
}

async function askPassphrase(session: Session, question: string): Promise<string> {
  if (!session.interactive)
    throw error('SECRETS_PASSPHRASE_MISSING', 'the passphrase of the stack is not given')
  return session.io.askHidden(question)
}

function saltOf(deployment: StoredDeployment | undefined): string | undefined {
  return textIn(deployment, 'passphrase', 'salt')
}

function keyOf(deployment: StoredDeployment | undefined): SealedKey | undefined {
  const url = textIn(deployment, 'cloud', 'url')
  const encryptedKey = textIn(deployment, 'cloud', 'encryptedkey')
  if (url === undefined || encryptedKey === undefined || !isKeyUrl(url)) return undefined
  return { url, encryptedKey }
}

/** What a state says of its manager, if that is of a type. */
function textIn(
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

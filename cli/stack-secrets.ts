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
 * The manager of a stack's secrets, as its file says (`state.md` 3.6); where the file says nothing,
 * that of its state, else a new one, which is then written to the file. Asks for the passphrase at
 * a terminal. Throws SECRETS_PASSPHRASE_MISSING, SECRETS_PASSPHRASE_WRONG, FEATURE_MISSING.
 */
export async function stackManager(
  session: Session,
  stack: StackId,
  config: StackConfig,
): Promise<SecretsManager> {
  const { provider, encryptionSalt } = config.secrets()
  if (provider !== '' && provider !== 'default' && provider !== 'passphrase')
    throw error('FEATURE_MISSING', `the secrets provider '${provider}' is not supported yet`)
  if (encryptionSalt !== '') return openManager(session, encryptionSalt)
  const local = await session.local()
  const salt = saltOf(await local.exportState(stack))
  const manager = salt === undefined ? await newManager(session) : await openManager(session, salt)
  const written = manager.state['salt']
  if (written !== undefined) {
    config.setSalt(written)
    writeStackConfig(config)
  }
  return manager
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
  const salt = saltOf(deployment)
  if (salt === undefined)
    throw error(
      'SECRETS_MANAGER_UNSUPPORTED',
      `the secrets of this state are kept by the manager '${type}', which cannot be opened here`,
    )
  return openManager(session, salt)
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
  const provider = deployment?.secrets_providers
  const state = provider?.state
  if (provider?.type !== 'passphrase' || !isObject(state)) return undefined
  const salt: unknown = state['salt']
  return typeof salt === 'string' ? salt : undefined
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

import { error } from '../../shared/errors/error.ts'
import type { StackConfig } from '../../shared/programs/config/stack-config.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import {
  isKeyUrl,
  saveManager,
  createKeyManager,
  openStackFile,
  requireSupportedProvider,
  openStackManager,
} from './stack-secrets.ts'

/**
 * Makes a stack, and how its secrets are kept: a data key under the key of `--secrets-provider`, or
 * a salt where the passphrase is known or can be asked for; where it is not, the first secret makes
 * it. With a key that cannot be used nothing is made. Throws STACK_EXISTS, FEATURE_MISSING,
 * SECRETS_PROVIDER_CHANGED, and what the key throws.
 */
export async function createStack(session: CliSession, id: StackId, flags: Flags): Promise<void> {
  const provider = flags.text('secretsProvider') ?? ''
  requireSupportedProvider(provider)
  const { project, stack } = stackPartsOf(id)
  const file = openStackFile(session, session.requireProject(), { stack: id })
  const under = isKeyUrl(provider) ? await createStackKey(session, file, provider) : undefined
  const local = await session.openEngine()
  const { catalog, clock } = local.platform
  if (!(await catalog.createStack(id, clock.now())))
    throw error('STACK_EXISTS', `the stack '${stack}' of project '${project}' exists already`)
  if (under !== undefined) return saveManager(file, under)
  const secrets = await session.tools.loadSecrets()
  const known = (await secrets.readPassphrase(session.io.env)) !== undefined
  if (!known && !session.interactive && !isKeyUrl(file.getSecrets().provider)) return
  await openStackManager(session, id, file)
}

/**
 * The data key of a new stack; undefined when its file has one under the same key. A file that
 * keeps secrets another way would not be readable any more.
 */
async function createStackKey(session: CliSession, file: StackConfig, url: string) {
  const { provider, encryptedKey, encryptionSalt } = file.getSecrets()
  if (provider === url && encryptedKey !== '') return undefined
  if (encryptedKey !== '' || encryptionSalt !== '')
    throw error('SECRETS_PROVIDER_CHANGED', `${file.file} keeps its secrets in another way`)
  return createKeyManager(session, url)
}

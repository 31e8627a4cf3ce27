import { error } from '../shared/errors/error.ts'
import type { StackConfig } from '../shared/programs/stack-config.ts'
import { type StackId, stackPartsOf } from '../shared/records/ids.ts'
import type { Flags } from './flags.ts'
import type { Session } from './session.ts'
import {
  isKeyUrl,
  keepManager,
  newUnderKey,
  openStackFile,
  requireKnown,
  stackManager,
} from './stack-secrets.ts'

/**
 * Makes a stack, and how its secrets are kept: a data key under the key of `--secrets-provider`, or
 * a salt where the passphrase is known or can be asked for; where it is not, the first secret makes
 * it. With a key that cannot be used nothing is made. Throws STACK_EXISTS, FEATURE_MISSING,
 * SECRETS_PROVIDER_CHANGED, and what the key throws.
 */
export async function makeStack(session: Session, id: StackId, flags: Flags): Promise<void> {
  const provider = flags.text('secretsProvider') ?? ''
  requireKnown(provider)
  const { project, stack } = stackPartsOf(id)
  const file = openStackFile(session, session.project(), { stack: id })
  const under = isKeyUrl(provider) ? await keyFor(session, file, provider) : undefined
  const local = await session.local()
  const { catalog, clock } = local.platform
  if (!(await catalog.createStack(id, clock.now())))
    throw error('STACK_EXISTS', `the stack '${stack}' of project '${project}' exists already`)
  if (under !== undefined) return keepManager(file, under)
  const secrets = await session.tools.secrets()
  const known = (await secrets.passphrase(session.io.env)) !== undefined
  if (!known && !session.interactive && !isKeyUrl(file.secrets().provider)) return
  await stackManager(session, id, file)
}

/**
 * The data key of a new stack; undefined when its file has one under the same key. A file that
 * keeps secrets another way would not be readable any more.
 */
async function keyFor(session: Session, file: StackConfig, url: string) {
  const { provider, encryptedKey, encryptionSalt } = file.secrets()
  if (provider === url && encryptedKey !== '') return undefined
  if (encryptedKey !== '' || encryptionSalt !== '')
    throw error('SECRETS_PROVIDER_CHANGED', `${file.file} keeps its secrets in another way`)
  return newUnderKey(session, url)
}

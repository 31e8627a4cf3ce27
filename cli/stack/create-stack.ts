import { createError } from '../../shared/errors/error.ts'
import type { StackConfig } from '../../shared/programs/config/stack-config.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { withKeyStack } from '../../shared/secrets/key-stack.ts'
import { isKeyUrl } from '../../shared/secrets/key-url.ts'
import { isServiceUrl } from '../../shared/secrets/service-stack.ts'
import { needsManagerOfState } from './check-file-secrets.ts'
import {
  saveManager,
  createStackManager,
  openStackFile,
  requireSupportedProvider,
  openStackManager,
} from './stack-secrets.ts'

/**
 * Creates a stack and its secrets manager: with the key or service of `--secrets-provider`, or
 * otherwise with a salt. If no passphrase is set and no prompt is possible, the first secret
 * creates the salt. A file with encrypted values but no manager later gets the manager of an
 * imported state. With an unusable key nothing is created. A self-managed backend gets a first
 * state that names the manager. Throws STACK_EXISTS, FEATURE_MISSING, SECRETS_PROVIDER_CHANGED, and
 * the errors of the key.
 */
export async function createStack(session: CliSession, id: StackId, flags: Flags): Promise<void> {
  const provider = flags.text('secretsProvider') ?? ''
  requireSupportedProvider(provider)
  const { project, stack } = stackPartsOf(id)
  const file = openStackFile(session, session.requireProject(), { stack: id })
  const keyManager =
    isKeyUrl(provider) || isServiceUrl(provider)
      ? await createKeyManager(session, id, { file, url: provider })
      : undefined
  const engine = await session.openEngine()
  const { catalog, clock } = engine.platform
  if (!(await catalog.createStack(id, clock.now())))
    throw createError('STACK_EXISTS', `the stack '${stack}' of project '${project}' already exists`)
  if (keyManager !== undefined) {
    saveManager(file, keyManager)
    await engine.publishFirstState?.(id, keyManager)
    return
  }
  const secrets = await session.tools.loadSecrets()
  const hasPassphrase = (await secrets.readPassphrase(session.io.env)) !== undefined
  if (!hasPassphrase && !session.mayPrompt && !isKeyUrl(file.getSecretsSettings().provider)) return
  if (needsManagerOfState(file)) return
  const manager = await openStackManager(session, id, file)
  await engine.publishFirstState?.(id, manager)
}

/**
 * Creates the secrets manager of a new stack with a key or service. Returns undefined if the
 * stack's file already has a data key that the same key sealed. Refuses a file with another secrets
 * provider, because the secrets in the file would become unreadable.
 */
async function createKeyManager(
  session: CliSession,
  id: StackId,
  { file, url }: { readonly file: StackConfig; readonly url: string },
) {
  const { provider, encryptedKey, encryptionSalt } = file.getSecretsSettings()
  if (isKeyUrl(url) && [url, withKeyStack(url, id)].includes(provider) && encryptedKey !== '')
    return undefined
  if (encryptedKey !== '' || encryptionSalt !== '')
    throw createError(
      'SECRETS_PROVIDER_CHANGED',
      `${file.path} already has another secrets provider`,
    )
  return createStackManager(session, id, url)
}

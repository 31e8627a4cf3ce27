import type { StackConfig } from '../../shared/programs/config/stack-config.ts'
import { listSecure } from '../../shared/programs/config/config-tree.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { SecretsManager } from '../../shared/secrets/crypter.ts'
import { parseServiceState, parseServiceUrl } from '../../shared/secrets/service-stack.ts'
import { listCiphertexts } from '../../shared/state/list-ciphertexts.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import type { CliSession } from '../session/session.ts'

/**
 * Opens the manager of a stack of a service. `url` names the service and the stack. Throws
 * SECRETS_URL_INVALID, SECRETS_CREDENTIALS_MISSING.
 */
export async function openServiceUrl(session: CliSession, url: string): Promise<SecretsManager> {
  const stack = parseServiceUrl(url)
  return (await session.tools.loadSecrets()).openWithService(stack, session.io.env)
}

/**
 * Opens the manager of a service that a state names. The keys of `stackOfKeys` in this home folder
 * are used if they open the state. Otherwise the manager sends requests to the service. Returns
 * undefined for a state with another manager. Throws SECRETS_MALFORMED and
 * SECRETS_CREDENTIALS_MISSING.
 */
export async function openServiceOfState(
  session: CliSession,
  stackOfKeys: StackId | undefined,
  state: StoredDeployment | undefined,
): Promise<SecretsManager | undefined> {
  const provider = state?.secrets_providers
  if (provider?.type !== 'service') return undefined
  const engine = await session.openEngine()
  const ownManager =
    stackOfKeys === undefined
      ? undefined
      : await engine.openServiceManager?.(stackOfKeys, provider.state)
  if (ownManager !== undefined && opensState(ownManager, state)) return ownManager
  const stack = parseServiceState(provider.state)
  return (await session.tools.loadSecrets()).openWithService(stack, session.io.env)
}

/**
 * Fetches the plaintexts of a state in batches, if the manager gets them from a service. Throws the
 * errors of the service.
 */
export async function prepareState(
  manager: SecretsManager,
  state: StoredDeployment | undefined,
): Promise<void> {
  if (manager.prepare === undefined || state === undefined) return
  await manager.prepare({ ciphertexts: listCiphertexts(state), plaintexts: [] })
}

/** Fetches the plaintexts of a stack file in batches, if the manager gets them from a service. */
export async function prepareConfig(manager: SecretsManager, file: StackConfig): Promise<void> {
  if (manager.prepare === undefined) return
  const ciphertexts = [...file.getValues().values()].flatMap(listSecure)
  await manager.prepare({ ciphertexts, plaintexts: [] })
}

/** Fetches the plaintexts of the published state of a stack, like `prepareState`. */
export async function prepareStackState(
  session: CliSession,
  stack: StackId,
  manager: SecretsManager,
): Promise<void> {
  if (manager.prepare === undefined) return
  const engine = await session.openEngine()
  await prepareState(manager, await engine.exportState(stack))
}

/** Reports whether a manager opens the first ciphertext of a state, or the state has none. */
function opensState({ crypter }: SecretsManager, state: StoredDeployment | undefined): boolean {
  const [ciphertext] = listCiphertexts(state)
  try {
    return ciphertext === undefined || crypter.decrypt(ciphertext) !== undefined
  } catch {
    return false
  }
}

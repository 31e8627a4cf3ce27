import { type StackId, stackIdOf } from '../../shared/records/ids.ts'
import { isKeyUrl } from '../../shared/secrets/key-url.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import type { SealedKey } from '../session/tools.ts'

/** Returns the salt of a state's passphrase manager. */
export function stateSaltOf(state: StoredDeployment | undefined): string | undefined {
  return secretsManagerFieldOf(state, 'passphrase', 'salt')
}

/** Returns the key URL of a state's cloud manager. The URL may be an unsupported one. */
export function readManagerUrl(state: StoredDeployment): string | undefined {
  return secretsManagerFieldOf(state, 'cloud', 'url')
}

/** Returns the sealed data key of a state's cloud manager. */
export function stateKeyOf(state: StoredDeployment | undefined): SealedKey | undefined {
  const url = secretsManagerFieldOf(state, 'cloud', 'url')
  const encryptedKey = secretsManagerFieldOf(state, 'cloud', 'encryptedkey')
  if (url === undefined || encryptedKey === undefined || !isKeyUrl(url)) return undefined
  return { url, encryptedKey }
}

/** Returns the stack that a state's service manager names. Undefined: it has another manager. */
export function stackOfService(state: StoredDeployment): StackId | undefined {
  const project = secretsManagerFieldOf(state, 'service', 'project')
  const stack = secretsManagerFieldOf(state, 'service', 'stack')
  return project === undefined || stack === undefined ? undefined : stackIdOf(project, stack)
}

/** Returns a field of the state's secrets manager, if the manager has this type. */
export function secretsManagerFieldOf(
  state: StoredDeployment | undefined,
  type: string,
  field: string,
): string | undefined {
  const manager = state?.secrets_providers
  const managerFields = manager?.state
  if (manager?.type !== type || !isObject(managerFields)) return undefined
  const text: unknown = managerFields[field]
  return typeof text === 'string' ? text : undefined
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

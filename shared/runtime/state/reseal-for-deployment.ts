import { createError } from '../../errors/error.ts'
import type { SecretsManager } from '../../secrets/crypter.ts'
import { isKeyUrl } from '../../secrets/key-url.ts'
import { prepareToSeal } from '../../secrets/prepare-to-seal.ts'
import { isKnownManagerType } from '../../secrets/secrets-from-state.ts'
import { containsCiphertext } from '../../state/list-ciphertexts.ts'
import { haveSameKey } from '../../state/same-key.ts'
import { recodeDeployment } from '../../state/snapshot-codec.ts'
import { isJsonObject, readTextField } from '../../state/stored-fields.ts'
import type { Json, StoredDeployment } from '../../state/stored.ts'

/** The managers of a deployment, from its request. */
export interface DeploymentManagers {
  /** The manager of the stack file. It encrypts everything that the deployment writes. */
  readonly secrets: SecretsManager
  /**
   * Opens the manager that a state names. It is called only for a state with another manager than
   * `secrets`.
   */
  readonly openStateSecrets?: (state: StoredDeployment) => Promise<SecretsManager | undefined>
}

/** Reports whether a state names this manager. */
export function namesManager(state: StoredDeployment, { type, state: fields }: SecretsManager) {
  const stateManager = state.secrets_providers
  return (
    stateManager?.type === type && JSON.stringify(stateManager.state) === JSON.stringify(fields)
  )
}

/**
 * Reports whether a state has the key of a manager. A service also opens the secrets of a renamed
 * stack, so two managers of the type `service` count as one key.
 */
function hasSameKey(
  { secrets_providers: stateManager }: StoredDeployment,
  manager: SecretsManager,
) {
  if (stateManager === undefined) return false
  const areServices = stateManager.type === 'service' && manager.type === 'service'
  return areServices || haveSameKey(stateManager, manager)
}

/**
 * Returns the state with secrets that the manager of the stack file can decrypt. If the state names
 * another manager, its secrets are decrypted with that manager and encrypted again, as in Pulumi. A
 * state without secrets is returned unchanged. Throws SECRETS_MANAGER_UNSUPPORTED for a state with
 * a manager of an unknown type. Throws SECRETS_PROVIDER_CHANGED if the state's manager is not
 * available, and the errors of opening it and of decrypting. Source:
 * docs/spec/secrets.md#change-of-manager.
 */
export async function resealForDeployment(
  state: StoredDeployment,
  { secrets, openStateSecrets }: DeploymentManagers,
): Promise<StoredDeployment> {
  const { type = '' } = state.secrets_providers ?? {}
  if (type === '' || namesManager(state, secrets)) return state
  if (!isKnownManagerType(type))
    throw createError(
      'SECRETS_MANAGER_UNSUPPORTED',
      `the state uses the secrets manager '${type}', which is not supported`,
    )
  if (!containsCiphertext(state)) return state
  const stateSecrets = await openStateSecrets?.(state)
  if (stateSecrets === undefined && hasSameKey(state, secrets)) return state
  if (stateSecrets === undefined)
    throw createError(
      'SECRETS_PROVIDER_CHANGED',
      `the secrets of the state have another manager (${describeManager({ ...state.secrets_providers, type })}) than the stack file (${describeManager(secrets)})`,
    )
  const recode = (manager: SecretsManager): Promise<StoredDeployment> =>
    recodeDeployment(state, stateSecrets, { manager, mode: 'sealed' })
  await prepareToSeal(secrets, recode)
  return recode(secrets)
}

/** Returns the key URL of a manager without its parameters, or else the type of the manager. */
function describeManager({
  type,
  state,
}: {
  readonly type: string
  readonly state?: Json
}): string {
  const url = isJsonObject(state) ? readTextField(state, 'url') : ''
  return isKeyUrl(url) ? url.replace(/\?.*$/s, '') : type
}

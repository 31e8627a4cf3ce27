import { DeployError } from '../../shared/errors/error.ts'
import type { SecretsManager } from '../../shared/secrets/crypter.ts'
import { type CompareSecrets, diffStates, type StateDiff } from '../../shared/state/diff-states.ts'
import type { Json, StoredDeployment } from '../../shared/state/stored.ts'
import type { CliSession } from '../session/session.ts'
import { openStateManager } from '../stack/stack-secrets.ts'

/**
 * Compares two states. Secrets with different ciphertexts are compared in plaintext if the session
 * can open the secrets managers of both states. Otherwise they count as `unknown`. The result
 * contains no plaintext of a secret.
 */
export async function diffOpenedStates(
  session: CliSession,
  before: StoredDeployment,
  after: StoredDeployment,
): Promise<StateDiff> {
  const sealedDiff = diffStates(before, after, () => undefined)
  const hasUnknown = sealedDiff.changes.some(({ properties }) =>
    properties.some(({ op }) => op === 'unknown'),
  )
  if (!hasUnknown) return sealedDiff
  const managers = [await openManager(session, before), await openManager(session, after)]
  const [oldManager, newManager] = managers
  if (oldManager === undefined || newManager === undefined) return sealedDiff
  const compareSecrets: CompareSecrets = (oldSecret, newSecret) =>
    decrypt(oldManager, oldSecret) === decrypt(newManager, newSecret)
  return diffStates(before, after, compareSecrets)
}

/** Opens the secrets manager of a state. Returns undefined if the session cannot open one. */
async function openManager(
  session: CliSession,
  state: StoredDeployment,
): Promise<SecretsManager | undefined> {
  try {
    return await openStateManager(session, state, { kind: 'any' })
  } catch (thrown) {
    if (thrown instanceof DeployError && thrown.code.startsWith('SECRETS_')) return undefined
    throw thrown
  }
}

function decrypt({ crypter }: SecretsManager, secret: Json): string {
  if (typeof secret !== 'object' || secret === null || !('ciphertext' in secret)) return ''
  const { ciphertext } = secret
  return typeof ciphertext === 'string' ? crypter.decrypt(ciphertext) : ''
}

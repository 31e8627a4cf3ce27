import { namesManager } from '../../shared/runtime/state/seal-for-deployment.ts'
import { hasCode } from '../../shared/errors/error.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import {
  type ConfigTree,
  hasSecure,
  replaceSecure,
  toConfigTree,
} from '../../shared/programs/config/config-tree.ts'
import type { StackConfig } from '../../shared/programs/config/stack-config.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { Crypter, SecretsManager } from '../../shared/secrets/crypter.ts'
import type { CliSession } from '../session/session.ts'
import { openStackManager, openStateManager, ownKeysOf } from '../stack/stack-secrets.ts'

/** The secrets that the history records, and the crypter of the stack file. */
export interface RecordedSecrets {
  readonly crypter: Crypter
  /** The values by key. Here the field `ciphertext` of a leaf contains the plaintext. */
  readonly values: ReadonlyMap<string, ConfigTree>
}

/**
 * Decrypts the secrets of a recorded configuration. A secret that an earlier secrets provider
 * encrypted is left out. Returns undefined if the configuration has no secrets, or if a required
 * passphrase is not set. Throws the errors of `openStackManager`.
 */
export async function openRecordedSecrets(
  session: CliSession,
  id: StackId,
  { file, config }: { readonly file: StackConfig; readonly config: HistoryRecord['config'] },
): Promise<RecordedSecrets | undefined> {
  const secrets = Object.entries(config ?? {})
    .map(([key, value]) => [key, toConfigTree(value)] as const)
    .filter(([, tree]) => hasSecure(tree))
  if (secrets.length === 0) return undefined
  const managers = await openManagers(session, id, file)
  if (managers === undefined) return undefined
  const { fileManager, recordedManager } = managers
  const values = new Map<string, ConfigTree>()
  for (const [key, tree] of secrets) {
    const opened = decryptOrUndefined(tree, recordedManager)
    if (opened !== undefined) values.set(key, opened)
  }
  return { crypter: fileManager.crypter, values }
}

/**
 * Opens the secrets manager of the stack file, and that of the state, which encrypted the secrets
 * of the latest deployment. Returns undefined if a required passphrase is not set.
 */
async function openManagers(
  session: CliSession,
  id: StackId,
  file: StackConfig,
): Promise<
  { readonly fileManager: SecretsManager; readonly recordedManager: SecretsManager } | undefined
> {
  try {
    const fileManager = await openStackManager(session, id, file)
    const state = await (await session.openEngine()).exportState(id)
    const recordedManager =
      state === undefined || namesManager(state, fileManager)
        ? undefined
        : await openStateManager(session, state, ownKeysOf(id))
    return { fileManager, recordedManager: recordedManager ?? fileManager }
  } catch (thrown) {
    if (hasCode(thrown, 'SECRETS_PASSPHRASE_MISSING')) return undefined
    throw thrown
  }
}

/**
 * Decrypts the leaves of a value, and keeps each plaintext in the field `ciphertext`. Returns
 * undefined for a ciphertext that the manager cannot decrypt.
 */
function decryptOrUndefined(
  tree: ConfigTree,
  { crypter }: Pick<SecretsManager, 'crypter'>,
): ConfigTree | undefined {
  try {
    return replaceSecure(tree, ciphertext => ({
      kind: 'secure',
      ciphertext: crypter.decrypt(ciphertext),
    }))
  } catch (thrown) {
    if (hasCode(thrown, 'SECRETS_MALFORMED')) return undefined
    throw thrown
  }
}

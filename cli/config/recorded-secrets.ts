import { namesManager } from '../../shared/runtime/state/reseal-for-deployment.ts'
import { hasCode, messageOf } from '../../shared/errors/error.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import {
  type ConfigTree,
  hasSecure,
  listSecure,
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
 * Errors after which no recorded secret is restored, because the secrets provider cannot be used.
 * The stack file then keeps its secrets.
 */
const providerErrorCodes = [
  'SECRETS_PASSPHRASE_MISSING',
  'SECRETS_CREDENTIALS_MISSING',
  'SECRETS_KEY_DENIED',
  'SECRETS_KEY_MISSING',
  'SECRETS_KEY_UNUSABLE',
  'SECRETS_SERVICE_UNAVAILABLE',
] as const

/**
 * Decrypts the secrets of a recorded configuration. A secret that an earlier secrets provider
 * encrypted is left out. If the provider encrypts by requests to a service, the function also
 * fetches the new ciphertexts of all secrets. Returns undefined if the configuration has no
 * secrets. After an error of the provider it prints a warning, and returns undefined. Throws the
 * other errors of `openStackManager`.
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
  try {
    const { fileManager, recordedManager } = await openManagers(session, id, file)
    const values = await decryptTrees(secrets, recordedManager)
    await fileManager.prepare?.({
      ciphertexts: [],
      plaintexts: [...values.values()].flatMap(listSecure),
    })
    return { crypter: fileManager.crypter, values }
  } catch (thrown) {
    if (!providerErrorCodes.some(code => hasCode(thrown, code))) throw thrown
    session.printToStderr(`warning: no secret was restored: ${messageOf(thrown)}`)
    return undefined
  }
}

/**
 * Opens the secrets manager of the stack file, and that of the state, which encrypted the secrets
 * of the latest deployment. Throws the errors of `openStackManager`.
 */
async function openManagers(
  session: CliSession,
  id: StackId,
  file: StackConfig,
): Promise<{ readonly fileManager: SecretsManager; readonly recordedManager: SecretsManager }> {
  const fileManager = await openStackManager(session, id, file)
  const state = await (await session.openEngine()).exportState(id)
  const recordedManager =
    state === undefined || namesManager(state, fileManager)
      ? undefined
      : await openStateManager(session, state, ownKeysOf(id))
  return { fileManager, recordedManager: recordedManager ?? fileManager }
}

/** Decrypts values by key. A value with a ciphertext of another manager is left out. */
async function decryptTrees(
  secrets: readonly (readonly [string, ConfigTree])[],
  manager: SecretsManager,
): Promise<ReadonlyMap<string, ConfigTree>> {
  // One batch saves requests. With one ciphertext of another manager, the service refuses the whole
  // batch, so each value is prepared again below.
  await ignoreMalformed(() => prepareTrees(manager, secrets))
  const values = new Map<string, ConfigTree>()
  for (const secret of secrets) {
    const [key, tree] = secret
    const decryptedTree = await ignoreMalformed(async () => {
      await prepareTrees(manager, [secret])
      return decryptLeaves(tree, manager)
    })
    if (decryptedTree !== undefined) values.set(key, decryptedTree)
  }
  return values
}

/** Fetches the plaintexts of values, if the manager gets them from a service. */
async function prepareTrees(
  { prepare }: SecretsManager,
  secrets: readonly (readonly [string, ConfigTree])[],
): Promise<void> {
  await prepare?.({ ciphertexts: secrets.flatMap(([, tree]) => listSecure(tree)), plaintexts: [] })
}

/** Decrypts the leaves of a value, and keeps each plaintext in the field `ciphertext`. */
function decryptLeaves(tree: ConfigTree, { crypter }: Pick<SecretsManager, 'crypter'>): ConfigTree {
  return replaceSecure(tree, ciphertext => ({
    kind: 'secure',
    ciphertext: crypter.decrypt(ciphertext),
  }))
}

/** Returns undefined if the manager cannot decrypt a ciphertext. Throws the other errors. */
async function ignoreMalformed<Value>(decrypt: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await decrypt()
  } catch (thrown) {
    if (hasCode(thrown, 'SECRETS_MALFORMED')) return undefined
    throw thrown
  }
}

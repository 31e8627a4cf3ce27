import { readSnapshotBlob } from '../../engine/deployment/state/read-snapshot-blob.ts'
import { createError, hasCode } from '../../errors/error.ts'
import type { ErrorCode } from '../../errors/catalogue.ts'
import { stackType } from '../../names/urn.ts'
import type { Platform } from '../../ports/platform.ts'
import type { BuiltinDeps } from '../../providers/builtin/builtin-provider.ts'
import { type StackId, stackPartsOf } from '../../records/ids.ts'
import { parseStackId } from '../../records/stack-name.ts'
import type { SecretsManager } from '../../secrets/crypter.ts'
import type { StoredManager } from '../../secrets/secrets-from-state.ts'
import { decodeResource } from '../../state/resource-codec.ts'
import { listCiphertexts } from '../../state/list-ciphertexts.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import { emptyMap, type PropertyMap, type PropertyValue } from '../../values/value.ts'

/** Opens the secrets manager that the state of a stack names. Throws SECRETS_*. */
export type OpenStateManager = (
  stack: StackId,
  storedManager: StoredManager,
) => Promise<SecretsManager>

/** Dependencies of reading other stacks. No record is written. */
export interface StackReaderDeps {
  readonly catalog: Pick<Platform['catalog'], 'getStack'>
  readonly blobs: Platform['blobs']
  /** The stack whose program reads other stacks. */
  readonly readingStack: { readonly stack: StackId; readonly secrets: SecretsManager }
  readonly openStateManager: OpenStateManager
  readonly reportInfo: (message: string) => void
}

/**
 * Errors that mean that the secrets of another stack cannot be decrypted. Any other error is
 * thrown.
 */
const undecryptableCodes: readonly ErrorCode[] = [
  'SECRETS_PASSPHRASE_WRONG',
  'SECRETS_MANAGER_UNSUPPORTED',
  'SECRETS_KEY_UNUSABLE',
  'SECRETS_KEY_DENIED',
  'SECRETS_KEY_MISSING',
  'SECRETS_MALFORMED',
]

/**
 * Creates the reader of the last published states of stacks on this platform. A secret that
 * cannot be decrypted becomes `{}`, still secret, and `reportInfo` is called. Throws
 * STACK_NOT_FOUND, STACK_NAME_INVALID and the errors of the store. Source:
 * docs/spec/providers.md#built-in-provider.
 */
export function createStackReader(
  deps: StackReaderDeps,
): Pick<BuiltinDeps, 'readOutputs' | 'readResources'> {
  return {
    async readOutputs(name) {
      const { state, decrypt } = await readPublishedState(deps, name)
      const root = (state.resources ?? []).find(
        ({ type, delete: isDeleted }) => type === stackType && isDeleted !== true,
      )
      return root === undefined ? emptyMap : decodeResource(root, decrypt).outputs
    },
    async readResources(name) {
      const { state, decrypt } = await readPublishedState(deps, name)
      const resourceViews = new Map<string, PropertyValue>()
      for (const storedResource of state.resources ?? []) {
        if (storedResource['delete'] === true) continue
        const { urn, type, outputs } = decodeResource(storedResource, decrypt)
        const resourceView: PropertyMap = new Map<string, PropertyValue>([
          ['type', type],
          ['outputs', outputs],
        ])
        resourceViews.set(urn, resourceView)
      }
      return resourceViews
    },
  }
}

async function readPublishedState(
  deps: StackReaderDeps,
  name: string,
): Promise<{ readonly state: StoredDeployment; readonly decrypt: (text: string) => string }> {
  const { catalog, blobs, readingStack } = deps
  const id = parseStackId(name, stackPartsOf(readingStack.stack).project)
  const record = await catalog.getStack(id)
  if (record === undefined) throw createError('STACK_NOT_FOUND', `unknown stack "${name}"`)
  const state = await readSnapshotBlob(blobs, record.snapshot)
  return { state, decrypt: await createDecrypt(deps, { id, name }, state) }
}

/**
 * Creates the decryption of a state's secrets. The first secret that cannot be decrypted is
 * reported.
 */
async function createDecrypt(
  { readingStack, openStateManager, reportInfo }: StackReaderDeps,
  { id, name }: { readonly id: StackId; readonly name: string },
  storedState: StoredDeployment,
): Promise<(text: string) => string> {
  const { secrets_providers: storedManager } = storedState
  let isReported = false
  const elideSecret = (thrown: unknown): string => {
    if (!undecryptableCodes.some(code => hasCode(thrown, code))) throw thrown
    if (!isReported) reportInfo(`eliding undecryptable secrets for stack reference '${name}'`)
    isReported = true
    return '{}'
  }
  const decryptWith = (manager: SecretsManager) => (text: string) => {
    try {
      return manager.crypter.decrypt(text)
    } catch (thrown) {
      return elideSecret(thrown)
    }
  }
  const { type, state } = readingStack.secrets
  const hasSameManager =
    storedManager?.type === type && JSON.stringify(storedManager.state) === JSON.stringify(state)
  if (storedManager === undefined || hasSameManager) return decryptWith(readingStack.secrets)
  try {
    const manager = await openStateManager(id, storedManager)
    await manager.prepare?.({ ciphertexts: listCiphertexts(storedState), plaintexts: [] })
    return decryptWith(manager)
  } catch (thrown) {
    return () => elideSecret(thrown)
  }
}

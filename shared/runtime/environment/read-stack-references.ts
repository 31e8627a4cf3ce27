import { readSnapshotBlob } from '../../engine/deployment/state/snapshot-blob.ts'
import { error, hasCode } from '../../errors/error.ts'
import type { ErrorCode } from '../../errors/catalogue.ts'
import { stackType } from '../../names/urn.ts'
import type { Platform } from '../../ports/platform.ts'
import type { BuiltinDeps } from '../../providers/builtin/builtin-provider.ts'
import { type StackId, stackPartsOf } from '../../records/ids.ts'
import { parseStackId } from '../../records/stack-name.ts'
import type { SecretsManager } from '../../secrets/crypter.ts'
import type { StoredManager } from '../../secrets/secrets-from-state.ts'
import { decodeResource } from '../../state/resource-codec.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import { emptyMap, type PropertyMap, type PropertyValue } from '../../values/value.ts'

/** Opens the secrets manager that a state names. Throws SECRETS_*. */
export type OpenState = (named: StoredManager) => Promise<SecretsManager>

/** Dependencies of reading other stacks. No record is written. */
export interface StackReaderDeps {
  readonly catalog: Pick<Platform['catalog'], 'getStack'>
  readonly blobs: Platform['blobs']
  /** The reading stack. */
  readonly own: { readonly stack: StackId; readonly secrets: SecretsManager }
  readonly openState: OpenState
  readonly info: (message: string) => void
}

/**
 * Errors for secrets of another stack that this one cannot decrypt. Any other error is a failure.
 */
const closed: readonly ErrorCode[] = [
  'SECRETS_PASSPHRASE_WRONG',
  'SECRETS_MANAGER_UNSUPPORTED',
  'SECRETS_KEY_UNUSABLE',
  'SECRETS_MALFORMED',
]

/**
 * Creates the reader of the last published states of stacks in this installation. A secret that
 * cannot be decrypted becomes `{}`, still secret, and the reader is informed. Throws
 * STACK_NOT_FOUND, STACK_NAME_INVALID and the errors of the store. Source:
 * docs/spec/providers.md#built-in-provider.
 */
export function createStackReader(
  deps: StackReaderDeps,
): Pick<BuiltinDeps, 'readOutputs' | 'readResources'> {
  return {
    async readOutputs(name) {
      const { state, open } = await readPublished(deps, name)
      const root = (state.resources ?? []).find(
        ({ type, delete: gone }) => type === stackType && gone !== true,
      )
      return root === undefined ? emptyMap : decodeResource(root, open).outputs
    },
    async readResources(name) {
      const { state, open } = await readPublished(deps, name)
      const found = new Map<string, PropertyValue>()
      for (const stored of state.resources ?? []) {
        if (stored['delete'] === true) continue
        const { urn, type, outputs } = decodeResource(stored, open)
        const view: PropertyMap = new Map<string, PropertyValue>([
          ['type', type],
          ['outputs', outputs],
        ])
        found.set(urn, view)
      }
      return found
    },
  }
}

async function readPublished(
  deps: StackReaderDeps,
  name: string,
): Promise<{ readonly state: StoredDeployment; readonly open: (text: string) => string }> {
  const { catalog, blobs, own } = deps
  const id = parseStackId(name, stackPartsOf(own.stack).project)
  const record = await catalog.getStack(id)
  if (record === undefined) throw error('STACK_NOT_FOUND', `unknown stack "${name}"`)
  const state = await readSnapshotBlob(blobs, record.snapshot)
  return { state, open: await openerOf(deps, name, state) }
}

/** Returns the decryption of a state's secrets. Reports once that it fails. */
async function openerOf(
  { own, openState, info }: StackReaderDeps,
  name: string,
  { secrets_providers: named }: StoredDeployment,
): Promise<(text: string) => string> {
  let isReported = false
  const elideSecret = (thrown: unknown): string => {
    if (!closed.some(code => hasCode(thrown, code))) throw thrown
    if (!isReported) info(`eliding undecryptable secrets for stack reference '${name}'`)
    isReported = true
    return '{}'
  }
  const open = (manager: SecretsManager) => (text: string) => {
    try {
      return manager.crypter.decrypt(text)
    } catch (thrown) {
      return elideSecret(thrown)
    }
  }
  const { type, state } = own.secrets
  const isOwn = named?.type === type && JSON.stringify(named.state) === JSON.stringify(state)
  if (named === undefined || isOwn) return open(own.secrets)
  try {
    return open(await openState(named))
  } catch (thrown) {
    return () => elideSecret(thrown)
  }
}

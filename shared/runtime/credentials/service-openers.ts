import type { CatalogPort } from '../../ports/catalog.ts'
import type { SealingPort } from '../../ports/documents.ts'
import type { BlobsPort } from '../../ports/records.ts'
import type { StackId } from '../../records/ids.ts'
import type { SecretsManager } from '../../secrets/crypter.ts'
import type { StoredManager } from '../../secrets/secrets-from-state.ts'
import { readSnapshotBlob } from '../../engine/deployment/state/read-snapshot-blob.ts'
import {
  openServiceManager,
  readFirstServiceManager,
  type ServiceKeyPorts,
} from './stack-service-keys.ts'

/**
 * The functions that open the secrets manager `service` of stacks whose keys this platform keeps.
 */
export interface ServiceOpeners {
  /**
   * Opens the manager that `storedManager` describes. Undefined if it is not the manager `service`,
   * or if this platform has no keys of the stack.
   */
  readonly openServiceManagerOf: (
    stack: StackId,
    storedManager: StoredManager,
  ) => Promise<SecretsManager | undefined>
  /**
   * Opens the manager that the published state of a stack names. Before the first state, opens the
   * manager that was recorded for the stack. Undefined if neither exists, or if
   * `openServiceManagerOf` returns undefined.
   */
  readonly openRecordedServiceManager: (stack: StackId) => Promise<SecretsManager | undefined>
}

/** Creates the openers. `createSealing` is called once, when the first manager is opened. */
export function createServiceOpeners(
  ports: Pick<ServiceKeyPorts, 'documents'> & {
    readonly catalog: Pick<CatalogPort, 'getStack'>
    readonly blobs: BlobsPort
  },
  createSealing: () => SealingPort,
): ServiceOpeners {
  const { documents, catalog, blobs } = ports
  let sealing: SealingPort | undefined
  const openServiceManagerOf: ServiceOpeners['openServiceManagerOf'] = async (
    stack,
    { type, state },
  ) => {
    if (type !== 'service') return undefined
    sealing ??= createSealing()
    return openServiceManager({ documents, sealing }, stack, state)
  }
  return {
    openServiceManagerOf,
    openRecordedServiceManager: async stack => {
      const record = await catalog.getStack(stack)
      if (record === undefined) return undefined
      const storedManager =
        record.snapshot === ''
          ? await readFirstServiceManager(ports, stack)
          : (await readSnapshotBlob(blobs, record.snapshot)).secrets_providers
      return storedManager === undefined ? undefined : openServiceManagerOf(stack, storedManager)
    },
  }
}

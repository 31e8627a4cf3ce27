import type { BlobsPort, DecisionLogPort } from '../../ports/records.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import type { PackageParameterization } from '../../records/package-parameterization.ts'
import type { StoredResource } from '../../state/stored.ts'
import { readTextField } from '../../state/stored-fields.ts'
import { isProviderType, providerReferenceOf } from '../../names/provider-reference.ts'
import type { Urn } from '../../names/urn.ts'
import { type Pin, readRecords } from '../deployment/log/log-view.ts'
import { createOperationSources } from './operation-sources.ts'

/**
 * The parts of a deployment's log that executors need, as far as the log was read: operations,
 * settled states, extensions, and the last pin. A lookup returns undefined for a part that the log
 * does not contain, or that was not read yet.
 */
export interface LogIndex {
  /**
   * Finds an operation, and reads new log records if needed. Returns undefined if the log does not
   * contain the operation.
   */
  readonly find: (id: OperationId) => Promise<Operation | undefined>
  /** Returns the last pin that was read. Reads the log first if no pin was read yet. */
  readonly readPin: () => Promise<Pin | undefined>
  /** Returns the sealed state of an operation that the generator settled. */
  readonly settledStateOf: (id: OperationId) => StoredResource | undefined
  /** Returns the extension with the reference `ref`. */
  readonly extensionOf: (ref: string) => PackageParameterization | undefined
  /** Returns the sealed state of the provider resource with this URN and id. */
  readonly providerStateOf: (urn: Urn, id: string) => StoredResource | undefined
}

/**
 * Creates an index that reads the records of a log in order and as needed. Operations that were not
 * used recently are read again when they are needed.
 */
export function createLogIndex(
  ports: { readonly decisionLog: DecisionLogPort; readonly blobs: BlobsPort },
  deployment: DeploymentId,
): LogIndex {
  const sources = createOperationSources(ports, deployment)
  const settledStates = new Map<OperationId, StoredResource>()
  const providerStates = new Map<string, StoredResource>()
  const recordSettledState = (id: OperationId, state: StoredResource | undefined): void => {
    if (state === undefined) return
    settledStates.set(id, state)
    if (isProviderType(state.type))
      providerStates.set(providerReferenceOf(state.urn as Urn, readTextField(state, 'id')), state)
  }
  const extensions = new Map<string, PackageParameterization>()
  let pin: Pin | undefined
  let nextNumber = 0
  let pendingRead: Promise<void> | undefined
  const read = async (): Promise<void> => {
    const records = await readRecords(ports.decisionLog, deployment, nextNumber)
    for (const record of records) {
      await sources.add(record)
      for (const decision of record.decisions) {
        if (decision.kind === 'pin') pin = decision
        if (decision.kind === 'extension') extensions.set(decision.ref, decision.extension)
        if (decision.kind === 'settled') recordSettledState(decision.operation.id, decision.state)
      }
    }
    nextNumber += records.length
  }
  /**
   * Reads the records that exist at the time of the call. A read in progress may have begun before
   * a record was written, so another read follows.
   */
  const readNewRecords = async (): Promise<void> => {
    await pendingRead
    pendingRead ??= read().finally(() => {
      pendingRead = undefined
    })
    await pendingRead
  }
  return {
    async find(id) {
      const indexedOperation = await sources.find(id)
      if (indexedOperation !== undefined) return indexedOperation
      await readNewRecords()
      return sources.find(id)
    },
    settledStateOf: id => settledStates.get(id),
    extensionOf: ref => extensions.get(ref),
    providerStateOf: (urn, id) => providerStates.get(providerReferenceOf(urn, id)),
    async readPin() {
      if (pin === undefined) await readNewRecords()
      return pin
    },
  }
}

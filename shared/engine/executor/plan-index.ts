import type { BlobsPort, DecisionLogPort } from '../../ports/records.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import type { Extension } from '../../records/extension.ts'
import type { StoredResource } from '../../state/stored.ts'
import { readTextField } from '../../state/stored-fields.ts'
import { isProviderType, referenceOf } from '../../names/provider-reference.ts'
import type { Urn } from '../../names/urn.ts'
import { type Pin, readPage, readRecords } from '../deployment/log/log-view.ts'

/** The operations of a deployment by id, as far as the log was read. */
export interface PlanIndex {
  /**
   * Finds an operation, reading new log records if needed. Undefined: the log does not contain it.
   */
  readonly find: (id: OperationId) => Promise<Operation | undefined>
  /** Returns the last pin that was read. */
  readonly readPin: () => Promise<Pin | undefined>
  /**
   * Returns the sealed state of an operation that the generator settled, as far as the log was
   * read.
   */
  readonly settledStateOf: (id: OperationId) => StoredResource | undefined
  /** Returns the extension of a reference, as far as the log was read. */
  readonly extensionOf: (ref: string) => Extension | undefined
  /**
   * Returns the sealed state of a provider resource by its reference, as far as the log was read.
   */
  readonly providerStateOf: (urn: Urn, id: string) => StoredResource | undefined
}

/** Creates an index that reads a log once, from the beginning to the end. */
export function createPlanIndex(
  ports: { readonly decisionLog: DecisionLogPort; readonly blobs: BlobsPort },
  deployment: DeploymentId,
): PlanIndex {
  const operations = new Map<OperationId, Operation>()
  const settled = new Map<OperationId, StoredResource>()
  const providers = new Map<string, StoredResource>()
  const settle = (id: OperationId, state: StoredResource | undefined): void => {
    if (state === undefined) return
    settled.set(id, state)
    if (isProviderType(state.type))
      providers.set(referenceOf(state.urn as Urn, readTextField(state, 'id')), state)
  }
  const extensions = new Map<string, Extension>()
  let pin: Pin | undefined
  let next = 0
  let reading: Promise<void> | undefined
  const read = async (): Promise<void> => {
    const records = await readRecords(ports.decisionLog, deployment, next)
    for (const decision of records.flatMap(record => record.decisions)) {
      if (decision.kind === 'pin') pin = decision
      if (decision.kind === 'extension') extensions.set(decision.ref, decision.extension)
      if (decision.kind === 'settled') settle(decision.operation.id, decision.state)
      if (decision.kind === 'retried') operations.set(decision.operation.id, decision.operation)
      if (decision.kind === 'registration')
        for (const operation of decision.operations) operations.set(operation.id, operation)
      if (decision.kind === 'plan')
        for (const hash of decision.pages)
          for (const operation of await readPage(ports.blobs, hash))
            operations.set(operation.id, operation)
    }
    next += records.length
  }
  /** A read that began before this call may miss the record, so another read follows. */
  const readNewRecords = async (): Promise<void> => {
    await reading
    reading ??= read().finally(() => {
      reading = undefined
    })
    await reading
  }
  return {
    async find(id) {
      const known = operations.get(id)
      if (known !== undefined) return known
      await readNewRecords()
      return operations.get(id)
    },
    settledStateOf: id => settled.get(id),
    extensionOf: ref => extensions.get(ref),
    providerStateOf: (urn, id) => providers.get(referenceOf(urn, id)),
    async readPin() {
      if (pin === undefined) await readNewRecords()
      return pin
    },
  }
}

import type { BlobsPort, DecisionLogPort } from '../../ports/records.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import type { Extension } from '../../records/extension.ts'
import type { StoredResource } from '../../state/stored.ts'
import { textIn } from '../../state/stored-fields.ts'
import { isProviderType, referenceOf } from '../../names/provider-reference.ts'
import type { Urn } from '../../names/urn.ts'
import { type Pin, readPage, readRecords } from '../deployment/log-view.ts'

/** The plan of a deployment by operation id, as far as the log says it. */
export interface PlanIndex {
  /** Looks an operation up, reading what the log got since; undefined: the log does not hold it. */
  readonly find: (id: OperationId) => Promise<Operation | undefined>
  /** The last pin that was read. */
  readonly pin: () => Promise<Pin | undefined>
  /** The sealed state that the generator itself settled, as far as the log was read. */
  readonly settled: (id: OperationId) => StoredResource | undefined
  /** What an extension reference stands for, as far as the log was read. */
  readonly extension: (ref: string) => Extension | undefined
  /** The same, of a provider resource by its reference. */
  readonly provider: (urn: Urn, id: string) => StoredResource | undefined
}

/** Makes an index that reads a log once, from front to back. */
export function createPlanIndex(
  ports: { readonly log: DecisionLogPort; readonly blobs: BlobsPort },
  deployment: DeploymentId,
): PlanIndex {
  const operations = new Map<OperationId, Operation>()
  const settled = new Map<OperationId, StoredResource>()
  const providers = new Map<string, StoredResource>()
  const settle = (id: OperationId, state: StoredResource | undefined): void => {
    if (state === undefined) return
    settled.set(id, state)
    if (isProviderType(state.type))
      providers.set(referenceOf(state.urn as Urn, textIn(state, 'id')), state)
  }
  const extensions = new Map<string, Extension>()
  let pin: Pin | undefined
  let next = 0
  let reading: Promise<void> | undefined
  const read = async (): Promise<void> => {
    const records = await readRecords(ports.log, deployment, next)
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
  /** A read that began before the question may lack the answer, so it is followed by another. */
  const readOn = async (): Promise<void> => {
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
      await readOn()
      return operations.get(id)
    },
    settled: id => settled.get(id),
    extension: ref => extensions.get(ref),
    provider: (urn, id) => providers.get(referenceOf(urn, id)),
    async pin() {
      if (pin === undefined) await readOn()
      return pin
    },
  }
}

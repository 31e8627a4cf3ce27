import type { BlobsPort, DecisionLogPort } from '../../ports/records.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Decision } from '../../records/log.ts'
import type { Operation } from '../../records/operation.ts'
import { readPage, readRecords } from '../deployment/log-view.ts'

/** The plan of a deployment by operation id, as far as the log says it. */
export interface PlanIndex {
  /** Looks an operation up, reading what the log got since; undefined: the log does not hold it. */
  readonly find: (id: OperationId) => Promise<Operation | undefined>
  /** The last pin that was read. */
  readonly pin: () => Promise<(Decision & { readonly kind: 'pin' }) | undefined>
}

/** Makes an index that reads a log once, from front to back. */
export function createPlanIndex(
  ports: { readonly log: DecisionLogPort; readonly blobs: BlobsPort },
  deployment: DeploymentId,
): PlanIndex {
  const operations = new Map<OperationId, Operation>()
  let pin: (Decision & { readonly kind: 'pin' }) | undefined
  let next = 0
  let reading: Promise<void> | undefined
  const read = async (): Promise<void> => {
    const records = await readRecords(ports.log, deployment, next)
    for (const decision of records.flatMap(record => record.decisions)) {
      if (decision.kind === 'pin') pin = decision
      if (decision.kind === 'registration') for (const operation of decision.operations) operations.set(operation.id, operation)
      if (decision.kind === 'plan')
        for (const hash of decision.pages)
          for (const operation of await readPage(ports.blobs, hash)) operations.set(operation.id, operation)
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
    async pin() {
      if (pin === undefined) await readOn()
      return pin
    },
  }
}

import { messageOf } from '../../../errors/error.ts'
import type { CatalogPort } from '../../../ports/catalog.ts'
import type { ChainQueuePort, NudgesPort } from '../../../ports/queue.ts'
import type {
  BlobsPort,
  ControlPort,
  DecisionLogPort,
  LeasesPort,
  OperationsPort,
} from '../../../ports/records.ts'
import type { ClockPort, RandomPort } from '../../../ports/system.ts'
import { retryStoreCall } from './retry-store-call.ts'
import {
  isClosedByThisProcess,
  errorSourceOf,
  retryPolicy,
} from '../../../providers/retry-policy.ts'

/** The dependencies of store retries. */
export interface StoreRetryDeps {
  readonly clock: ClockPort
  readonly random: Pick<RandomPort, 'bytes'>
  /** Reports whether retries are still wanted: the deployment was not abandoned. */
  readonly shouldRetry: () => boolean
  /**
   * Reports an outage to the user. Called once per outage, at the first failure two seconds or more
   * after its start.
   */
  readonly onOutage: (text: string) => void
}

/**
 * A wrapper of requests. It returns a request that is retried while the store, the queue or the
 * blobs are unavailable.
 */
export type StoreRetry = <Args extends readonly unknown[], Result>(
  request: (...args: Args) => Promise<Result>,
) => (...args: Args) => Promise<Result>

/** Outages shorter than this are not reported. */
const reportOutageAfterMs = 2_000

/**
 * Creates the function that adds retries to store requests. All its requests share the report of an
 * outage. A request that fails because of the store is repeated as `retryPolicy.store` specifies,
 * and finally throws its last error. It is safe to repeat any call of a port. Source:
 * docs/reliability.md#sources-of-errors.
 */
export function createStoreRetry(deps: StoreRetryDeps): StoreRetry {
  const { clock, random, shouldRetry } = deps
  /** Start of the current outage: the first failure since the last success. */
  let outageStartMs: number | undefined
  let isReported = false
  const noteOutage = (reason: string): void => {
    const nowMs = clock.monotonicMs()
    outageStartMs ??= nowMs
    if (isReported || nowMs - outageStartMs < reportOutageAfterMs) return
    isReported = true
    deps.onOutage(`the store is unavailable; retrying: ${reason}`)
  }
  return request =>
    (...args) =>
      retryStoreCall(
        {
          clock,
          random,
          shouldRetry,
          backoff: retryPolicy.store.retry,
          onFirstRetry: () => undefined,
        },
        async () => {
          try {
            const result = await request(...args)
            outageStartMs = undefined
            isReported = false
            return result
          } catch (thrown) {
            if (errorSourceOf(thrown) === 'store' && !isClosedByThisProcess(thrown))
              noteOutage(messageOf(thrown))
            throw thrown
          }
        },
      )
}

/** The ports for records, queue and nudges that deployments use. */
interface StorePorts {
  readonly decisionLog: DecisionLogPort
  readonly operations: OperationsPort
  readonly control: ControlPort
  readonly leases: LeasesPort
  readonly catalog: CatalogPort
  readonly blobs: BlobsPort
  readonly chains: ChainQueuePort
  readonly nudges: NudgesPort
}

/**
 * Returns the ports with retries. Four kinds of calls have none:
 *
 * - Calls that are repeated anyway: `receive`, `extend` and `renew`.
 * - Optional calls, such as `recordSlowOperation`.
 * - `giveBack`: `giveBackAttempt` has its own retry. `beginOrUndo` repeats its `giveBack` only if
 *   that call failed while the executor's slots were suspended.
 * - Calls that a running deployment does not make, such as `createStack` and `listHistory`.
 */
export function createRetryingPorts<Ports extends StorePorts>(
  ports: Ports,
  withRetry: StoreRetry,
): Ports {
  const { decisionLog, control, leases, chains } = ports
  return {
    ...ports,
    decisionLog: { append: withRetry(decisionLog.append), read: withRetry(decisionLog.read) },
    operations: addOperationRetries(ports.operations, withRetry),
    control: {
      create: withRetry(control.create),
      read: withRetry(control.read),
      stop: withRetry(control.stop),
      handOver: withRetry(control.handOver),
      hold: withRetry(control.hold),
      close: withRetry(control.close),
    },
    leases: {
      ...leases,
      register: withRetry(leases.register),
      retire: withRetry(leases.retire),
      leave: withRetry(leases.leave),
      list: withRetry(leases.list),
    },
    catalog: addCatalogRetries(ports.catalog, withRetry),
    blobs: { put: withRetry(ports.blobs.put), get: withRetry(ports.blobs.get) },
    chains: { ...chains, send: withRetry(chains.send), remove: withRetry(chains.remove) },
    nudges: { ...ports.nudges, nudge: withRetry(ports.nudges.nudge) },
  }
}

function addOperationRetries(operations: OperationsPort, withRetry: StoreRetry): OperationsPort {
  return {
    ...operations,
    arrive: withRetry(operations.arrive),
    begin: withRetry(operations.begin),
    lapse: withRetry(operations.lapse),
    putOutcome: withRetry(operations.putOutcome),
    getOutcome: withRetry(operations.getOutcome),
    select: withRetry(operations.select),
    getHeads: withRetry(operations.getHeads),
    getEnds: withRetry(operations.getEnds),
  }
}

function addCatalogRetries(catalog: CatalogPort, withRetry: StoreRetry): CatalogPort {
  return {
    ...catalog,
    getStack: withRetry(catalog.getStack),
    start: withRetry(catalog.start),
    startTargeted: withRetry(catalog.startTargeted),
    extendClaim: withRetry(catalog.extendClaim),
    publish: withRetry(catalog.publish),
    release: withRetry(catalog.release),
    putLateOutcome: withRetry(catalog.putLateOutcome),
    listLateOutcomes: withRetry(catalog.listLateOutcomes),
    removeLateOutcomes: withRetry(catalog.removeLateOutcomes),
    listSlowOperations: withRetry(catalog.listSlowOperations),
  }
}

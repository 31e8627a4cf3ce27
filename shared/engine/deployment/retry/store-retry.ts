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
import { retryUnavailable } from './retry.ts'
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
  /** Reports an outage to the user, once per longer outage. */
  readonly onOutage: (text: string) => void
}

/**
 * Wraps a request, so that it is retried while the store, the queue or the blobs are unavailable.
 */
export type StoreRetry = <Args extends readonly unknown[], Result>(
  request: (...args: Args) => Promise<Result>,
) => (...args: Args) => Promise<Result>

/** Outages shorter than this are not reported. */
const reportOutageAfterMs = 2_000

/**
 * Makes the patience of one deployment: each request that throws STORE_UNAVAILABLE is repeated as
 * `whoseError.store` says, then throws what it threw last. All calls of ports may be repeated.
 * Source: docs/reliability.md#sources-of-errors.
 */
export function createStoreRetry(deps: StoreRetryDeps): StoreRetry {
  const { clock, random, shouldRetry } = deps
  /** Start of the current outage: the first refusal since the last success. */
  let sinceMs: number | undefined
  let isReported = false
  const reportRefusal = (why: string): void => {
    const nowMs = clock.monotonicMs()
    sinceMs ??= nowMs
    if (isReported || nowMs - sinceMs < reportOutageAfterMs) return
    isReported = true
    deps.onOutage(`the store is unavailable; retrying: ${why}`)
  }
  return request =>
    (...args) =>
      retryUnavailable(
        { clock, random, shouldRetry, backoff: retryPolicy.store.again, onRetry: () => undefined },
        async () => {
          try {
            const result = await request(...args)
            sinceMs = undefined
            isReported = false
            return result
          } catch (thrown) {
            if (errorSourceOf(thrown) === 'store' && !isClosedByThisProcess(thrown))
              reportRefusal(messageOf(thrown))
            throw thrown
          }
        },
      )
}

/** The ports for records, queue and nudges that a generator uses. */
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
 * Returns the ports with retries. Excluded are calls that are repeated anyway (receive, extend,
 * renewals), optional calls, and the give-back, whose caller retries itself.
 */
export function createRetryingPorts<Ports extends StorePorts>(
  ports: Ports,
  retrying: StoreRetry,
): Ports {
  const { decisionLog, control, leases, chains } = ports
  return {
    ...ports,
    decisionLog: { append: retrying(decisionLog.append), read: retrying(decisionLog.read) },
    operations: retryOperations(ports.operations, retrying),
    control: {
      create: retrying(control.create),
      read: retrying(control.read),
      stop: retrying(control.stop),
      handOver: retrying(control.handOver),
      hold: retrying(control.hold),
      close: retrying(control.close),
    },
    leases: {
      ...leases,
      register: retrying(leases.register),
      retire: retrying(leases.retire),
      leave: retrying(leases.leave),
      list: retrying(leases.list),
    },
    catalog: retryCatalog(ports.catalog, retrying),
    blobs: { put: retrying(ports.blobs.put), get: retrying(ports.blobs.get) },
    chains: { ...chains, send: retrying(chains.send), remove: retrying(chains.remove) },
    nudges: { ...ports.nudges, nudge: retrying(ports.nudges.nudge) },
  }
}

function retryOperations(operations: OperationsPort, retrying: StoreRetry): OperationsPort {
  return {
    ...operations,
    arrive: retrying(operations.arrive),
    begin: retrying(operations.begin),
    lapse: retrying(operations.lapse),
    putOutcome: retrying(operations.putOutcome),
    getOutcome: retrying(operations.getOutcome),
    select: retrying(operations.select),
    getHeads: retrying(operations.getHeads),
    getEnds: retrying(operations.getEnds),
  }
}

function retryCatalog(catalog: CatalogPort, retrying: StoreRetry): CatalogPort {
  return {
    ...catalog,
    getStack: retrying(catalog.getStack),
    start: retrying(catalog.start),
    publish: retrying(catalog.publish),
    release: retrying(catalog.release),
    putLate: retrying(catalog.putLate),
    listLate: retrying(catalog.listLate),
    removeLate: retrying(catalog.removeLate),
    listSlow: retrying(catalog.listSlow),
  }
}

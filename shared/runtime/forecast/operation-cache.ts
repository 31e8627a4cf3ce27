import { limits } from '../../config/limits.ts'
import {
  type DecidedOperation,
  type KnownHead,
  type KnownOperations,
  listDecidedOperations,
  type OperationSummary,
  summarizeOperations,
} from '../../engine/forecast/operation-times.ts'
import { readPlanPages, readRecords, toIdBatches } from '../../engine/deployment/log/log-view.ts'
import { timelineOf } from '../../journal/timeline.ts'
import type { HistoryRecord } from '../../ports/catalog.ts'
import type { DecisionLogPort } from '../../ports/records.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import { isJoinOrHook, type Operation } from '../../records/operation.ts'
import { nameOf } from '../../names/urn.ts'
import type { JournalPorts } from '../compaction/fold-and-publish.ts'

/** The ports that read the log and the heads of a deployment. */
type OperationCachePorts = Pick<JournalPorts, 'decisionLog' | 'operations' | 'blobs'>

/** The operations of a deployment that a process remembers, without their states. */
export interface RememberedOperations extends KnownOperations {
  /** The operations except joins and hooks, in the order of the log. */
  readonly stepIds: readonly OperationId[]
  readonly idsByUrn: ReadonlyMap<string, readonly OperationId[]>
  /** The operations of default providers, which no event reports. */
  readonly unreportedIds: readonly OperationId[]
  /** Returns the maximum number of concurrent calls, from the options of the last pin. */
  readonly getParallel: () => number
  /**
   * Returns the summary of the known operations. It is computed again when the number of known
   * heads has grown by a 32nd, or when `isExact` is set.
   */
  readonly getSummary: (options?: { readonly isExact: boolean }) => OperationSummary
  /** Reads the heads of operations, except those that are known to have ended. */
  readonly readEnds: (ids: Iterable<OperationId>) => Promise<void>
  /**
   * Reads the heads of all operations that are not known to have ended. Later calls read nothing,
   * unless `isRepeated` is set or the deployment has ended since (`isOver`).
   */
  readonly readAllEnds: (options: {
    readonly isOver: boolean
    readonly isRepeated: boolean
  }) => Promise<void>
}

/** Returns the operations of a deployment. Reads those records that are new. */
type ReadRemembered = (record: HistoryRecord) => Promise<RememberedOperations>

/** The caches of this process, by the port through which a cache reads the logs. */
const caches = new WeakMap<DecisionLogPort, ReadRemembered>()

/**
 * Returns the operations of a deployment. The process remembers those of the deployments that it
 * read last, and reads only new records.
 */
export function readRememberedOperations(
  ports: OperationCachePorts,
  record: HistoryRecord,
): Promise<RememberedOperations> {
  const read = caches.get(ports.decisionLog) ?? createCache(ports)
  caches.set(ports.decisionLog, read)
  return read(record)
}

/** Maximum number of remembered deployments. */
const deploymentsMax = 3
/** The summary is computed again when the number of known heads has grown by this part. */
const summaryGrowth = 1 / 32

function createCache(ports: OperationCachePorts): ReadRemembered {
  const deployments = new Map<string, ReturnType<typeof createDeploymentCache>>()
  return async ({ deployment, startedAt }) => {
    // A removed stack may have a successor of the same name, so the id alone is ambiguous.
    const key = `${deployment} ${startedAt}`
    const deploymentCache = deployments.get(key) ?? createDeploymentCache(ports, deployment)
    deployments.delete(key)
    deployments.set(key, deploymentCache)
    for (const oldKey of deployments.keys())
      if (deployments.size > deploymentsMax) deployments.delete(oldKey)
    await deploymentCache.readLog()
    return deploymentCache.operations
  }
}

function createDeploymentCache(ports: OperationCachePorts, deployment: DeploymentId) {
  const log = createLogCache(ports, deployment)
  const ends = new Map<OperationId, KnownHead>()
  /** The state of the deployment at the last read of all heads. `none`: no such read yet. */
  let lastFullRead: 'none' | 'open' | 'over' = 'none'
  let cachedSummary: { readonly endCount: number; readonly summary: OperationSummary } | undefined
  const readEnds = async (ids: Iterable<OperationId>): Promise<void> => {
    const openIds = [...new Set(ids)].filter(id => ends.get(id)?.head.end === undefined)
    for (const batch of toIdBatches(openIds, limits.idsPerReadMax))
      for (const [id, { head, outcome }] of await ports.operations.getEnds(deployment, batch)) {
        if (outcome === undefined) {
          ends.set(id, { head })
          continue
        }
        const { state: _state, views: _views, ...times } = outcome
        ends.set(id, { head, outcome: times })
      }
  }
  const operations: RememberedOperations = {
    ...log.lists,
    ends,
    getParallel: log.getParallel,
    getSummary({ isExact } = { isExact: false }) {
      const isOld = ends.size > (cachedSummary?.endCount ?? 0) * (1 + summaryGrowth)
      if (cachedSummary === undefined || isOld || isExact) {
        const known = { decidedOperations: log.lists.decidedOperations, ends }
        const summary = summarizeOperations(known, log.getParallel())
        cachedSummary = { endCount: ends.size, summary }
      }
      return cachedSummary.summary
    },
    readEnds,
    async readAllEnds({ isOver, isRepeated }) {
      if (lastFullRead === 'over' || (lastFullRead === 'open' && !isOver && !isRepeated)) return
      await readEnds(log.lists.decidedOperations.keys())
      lastFullRead = isOver ? 'over' : 'open'
    },
  }
  return { operations, readLog: () => log.readLog() }
}

/** Remembers the operations of a log. Each read continues after the last known record. */
function createLogCache(ports: OperationCachePorts, deployment: DeploymentId) {
  const decidedOperations = new Map<OperationId, DecidedOperation>()
  const stepIds: OperationId[] = []
  const unreportedIds: OperationId[] = []
  const idsByUrn = new Map<string, OperationId[]>()
  const latestOperationIds = new Map<string, OperationId>()
  let nextNumber = 0
  let parallel = 1
  let lastRead: Promise<unknown> = Promise.resolve()
  const addOperation = (item: DecidedOperation): void => {
    const { id, urn } = item.operation
    decidedOperations.set(id, item)
    if (!isJoinOrHook(item.operation)) stepIds.push(id)
    if (isDefaultProvider(item.operation)) unreportedIds.push(id)
    latestOperationIds.set(urn, id)
    const ids = idsByUrn.get(urn)
    if (ids === undefined) idsByUrn.set(urn, [id])
    else ids.push(id)
  }
  const readNewRecords = async (): Promise<void> => {
    const records = await readRecords(ports.decisionLog, deployment, nextNumber)
    const decisions = records.flatMap(record => record.decisions)
    const pages = await readPlanPages(ports.blobs, decisions)
    for (const decision of decisions) if (decision.kind === 'pin') parallel = parallelOf(decision)
    for (const record of records) {
      // One record suffices for the times of its decisions. The ends of its operations are read
      // separately.
      const [timedRecord] = timelineOf({
        records: [record],
        getPage: hash => pages.get(hash) ?? [],
        getEnd: () => undefined,
      })
      if (timedRecord === undefined) continue
      const items = listDecidedOperations(timedRecord, latestOperationIds)
      items.toSorted((a, b) => a.operation.id - b.operation.id).forEach(addOperation)
    }
    nextNumber += records.length
  }
  return {
    lists: { decidedOperations, stepIds, unreportedIds, idsByUrn },
    getParallel: () => parallel,
    /** Reads the new records. Concurrent calls read one after another. */
    readLog(): Promise<void> {
      const next = lastRead.then(readNewRecords)
      lastRead = next.catch(() => undefined)
      return next
    },
  }
}

function isDefaultProvider({ type, urn }: Pick<Operation, 'type' | 'urn'>): boolean {
  return type.startsWith('pulumi:providers:') && nameOf(urn).startsWith('default')
}

function parallelOf({ options }: { readonly options: { readonly parallel: number } }): number {
  return options.parallel
}

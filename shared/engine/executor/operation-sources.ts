import type { BlobsPort, DecisionLogPort } from '../../ports/records.ts'
import type { BlobHash, DeploymentId, LogNumber, OperationId } from '../../records/ids.ts'
import type { Decision } from '../../records/log.ts'
import type { Operation } from '../../records/operation.ts'
import { readPlanPage } from '../deployment/log/log-view.ts'

/**
 * Number of log records and plan pages whose operations stay in memory. An executor runs the
 * operations of a record or page in quick succession, so operations of earlier records and pages
 * are rarely read again.
 */
const loadedSourcesMax = 64

/** The operations that a log contains, by their id. */
export interface OperationSources {
  /** Adds the operations of a log record, and those of its plan pages. */
  readonly add: (record: {
    readonly number: LogNumber
    readonly decisions: readonly Decision[]
  }) => Promise<void>
  /**
   * Returns an added operation. Reads its record or page again if it is no longer in memory.
   * Returns undefined if it was not added. Throws STATE_INVALID when the page is damaged.
   */
  readonly find: (id: OperationId) => Promise<Operation | undefined>
}

type OperationsById = ReadonlyMap<OperationId, Operation>

/** A log record or a plan page with operations. Its operations are absent when not in memory. */
interface OperationSource {
  readonly read: () => Promise<readonly Operation[]>
  operations?: OperationsById
  /** The read in progress, which all operations of the source share. */
  pendingRead?: Promise<OperationsById>
}

/** Creates an empty set of operations. The entry of each id stays in memory: some 50 bytes. */
export function createOperationSources(
  ports: { readonly decisionLog: DecisionLogPort; readonly blobs: BlobsPort },
  deployment: DeploymentId,
): OperationSources {
  const sourcesById = new Map<OperationId, OperationSource>()
  // In the order of their last use.
  const loadedSources = new Set<OperationSource>()
  const load = (source: OperationSource, operations: readonly Operation[]): OperationsById => {
    const operationsById = new Map(operations.map(operation => [operation.id, operation]))
    source.operations = operationsById
    loadedSources.add(source)
    if (loadedSources.size > loadedSourcesMax) {
      const [oldest] = loadedSources
      if (oldest !== undefined) {
        loadedSources.delete(oldest)
        delete oldest.operations
      }
    }
    return operationsById
  }
  const readAgain = async (source: OperationSource): Promise<OperationsById> => {
    try {
      return load(source, await source.read())
    } finally {
      delete source.pendingRead
    }
  }
  const addSource = (read: OperationSource['read'], operations: readonly Operation[]): void => {
    if (operations.length === 0) return
    const source: OperationSource = { read }
    for (const { id } of operations) sourcesById.set(id, source)
    load(source, operations)
  }
  return {
    async add({ number, decisions }) {
      const readRecord = async (): Promise<readonly Operation[]> =>
        listOperations((await ports.decisionLog.read(deployment, number, 1))[0]?.decisions ?? [])
      addSource(readRecord, listOperations(decisions))
      for (const hash of listPages(decisions)) {
        const readPage = (): Promise<readonly Operation[]> => readPlanPage(ports.blobs, hash)
        addSource(readPage, await readPage())
      }
    },
    async find(id) {
      const source = sourcesById.get(id)
      if (source === undefined) return undefined
      if (source.operations === undefined) {
        source.pendingRead ??= readAgain(source)
        return (await source.pendingRead).get(id)
      }
      // The source becomes the one that was used last.
      if (loadedSources.delete(source)) loadedSources.add(source)
      return source.operations.get(id)
    },
  }
}

/** Returns the operations that a record itself contains. */
function listOperations(decisions: readonly Decision[]): readonly Operation[] {
  return decisions.flatMap(decision => {
    if (decision.kind === 'registration') return decision.operations
    return decision.kind === 'retried' ? [decision.operation] : []
  })
}

function listPages(decisions: readonly Decision[]): readonly BlobHash[] {
  return decisions.flatMap(decision => (decision.kind === 'plan' ? decision.pages : []))
}

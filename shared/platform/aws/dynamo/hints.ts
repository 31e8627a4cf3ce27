import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import { messageOf } from '../../../errors/error.ts'
import type { HintsPort } from '../../../ports/queue.ts'
import type { ClockPort, LoggerPort, RandomPort } from '../../../ports/system.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import { toItem, type Item, readNumbers, toNumberSet, readText } from './table/item.ts'
import { journalKeys as keys, padTime } from './record-keys.ts'
import { putItem, queryItems, type Table } from './table/table.ts'

type HintListener = (operation: OperationId) => void

/** Dependencies of hints through the journal. */
interface HintsDeps {
  readonly journalTable: Table
  readonly clock: ClockPort
  readonly random: RandomPort
  readonly logger: LoggerPort
}

/**
 * Creates hints between functions. A process gathers the hints of a deployment for a short time and
 * writes them as one small item, which expires. The items of a deployment are spread over several
 * partitions, because one partition accepts too few writes for many executors. Each listener reads
 * the new items of all partitions every second. Listeners of the same process are called
 * immediately. A hint gets lost when its write fails, when its function is frozen, or when the
 * clock of its function is far behind.
 */
export function createJournalHints(deps: HintsDeps): HintsPort {
  const { clock, logger, random } = deps
  const shard = (random.bytes(1)[0] ?? 0) % limits.hintShards
  const listeners = new Map<DeploymentId, Set<HintListener>>()
  const gatheredHints = new Map<DeploymentId, Set<OperationId>>()
  const notifyListeners = (deployment: DeploymentId, operation: OperationId): void => {
    for (const listener of listeners.get(deployment) ?? []) listener(operation)
  }
  const sendGatheredHints = async (deployment: DeploymentId): Promise<void> => {
    await clock.sleep(limits.hintBatchMs)
    const operations = [...(gatheredHints.get(deployment) ?? [])]
    gatheredHints.delete(deployment)
    await putHints(deps, { deployment, shard, operations }).catch((thrown: unknown) =>
      logger.write('debug', 'hint.lost', { deployment, reason: messageOf(thrown) }),
    )
  }
  return {
    hint(deployment, operation) {
      notifyListeners(deployment, operation)
      const gathered = gatheredHints.get(deployment)
      if (gathered !== undefined) return void gathered.add(operation)
      gatheredHints.set(deployment, new Set([operation]))
      void sendGatheredHints(deployment)
    },
    listen(deployment, onHint) {
      const deploymentListeners = listeners.get(deployment) ?? new Set()
      listeners.set(deployment, deploymentListeners)
      const listener: HintListener = operation => onHint(operation)
      deploymentListeners.add(listener)
      const stopPolling = pollHints(deps, deployment, listener)
      return () => {
        deploymentListeners.delete(listener)
        if (deploymentListeners.size === 0) listeners.delete(deployment)
        stopPolling()
      }
    },
  }
}

async function putHints(
  { journalTable, clock, random }: HintsDeps,
  hints: {
    readonly deployment: DeploymentId
    readonly shard: number
    readonly operations: readonly OperationId[]
  },
): Promise<void> {
  const now = clock.now()
  const expires = Math.ceil((now + limits.hintRetentionMs) / 1_000)
  const { deployment, shard, operations } = hints
  const key = keys.hint(deployment, shard, `${padTime(now)} ${random.uuid()}`)
  const item = { ...toItem({ expires }), operations: toNumberSet(operations) }
  await putItem(journalTable, { key, item, ifAbsent: false })
}

/** Reads the new hints of all partitions every second until the returned function is called. */
function pollHints(deps: HintsDeps, deployment: DeploymentId, onHint: HintListener): () => void {
  const { clock, logger } = deps
  const readers = Array.from({ length: limits.hintShards }, (_, shard) =>
    createShardReader(deps, keys.hint(deployment, shard, '').pk, onHint),
  )
  let isReading = false
  return clock.repeat(limits.hintPollMs, () => {
    if (isReading) return
    isReading = true
    Promise.all(readers.map(read => read()))
      .catch((thrown: unknown) =>
        logger.write('debug', 'hint.lost', { deployment, reason: messageOf(thrown) }),
      )
      .finally(() => (isReading = false))
  })
}

/**
 * Creates a function that reads the new hints of one partition. Each read begins
 * `hintClockDifferenceMs` before the time of the last hint, because the clocks of functions differ.
 */
function createShardReader(
  { journalTable, clock }: HintsDeps,
  pk: string,
  onHint: HintListener,
): () => Promise<void> {
  let sinceMs = clock.now() - limits.hintClockDifferenceMs
  let lastReadKeys = new Set<string>()
  return async () => {
    const limit = limits.hintsPerReadMax
    const readKeys = new Set<string>()
    let atLeast = padTime(Math.max(0, sinceMs))
    // Each page begins with the last item of the previous page.
    for (let pageNumber = 1; pageNumber <= limits.hintPagesPerReadMax; pageNumber += 1) {
      const items = await queryItems(journalTable, { pk, atLeast, limit })
      for (const item of items) {
        const key = readText(item, 'sk')
        if (!lastReadKeys.has(key) && !readKeys.has(key))
          for (const operation of readNumbers(item, 'operations')) onHint(operation as OperationId)
        readKeys.add(key)
        sinceMs = Math.max(sinceMs, timeOf(item) - limits.hintClockDifferenceMs)
        atLeast = key
      }
      if (items.length < limit) break
    }
    lastReadKeys = readKeys
  }
}

function timeOf(item: Item): number {
  return Number(readText(item, 'sk').split(' ', 1)[0])
}

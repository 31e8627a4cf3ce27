import { limits } from '../../shared/config/limits.ts'
import type {
  ChainMessage,
  ChainQueuePort,
  Delivery,
  DeliveryLimit,
} from '../../shared/ports/queue.ts'
import type { DeploymentId, ExecutorId } from '../../shared/records/ids.ts'
import type { Pool } from '../../shared/records/pool.ts'
import type { SeededDraw } from './draw.ts'
import type { Scheduler } from './scheduler.ts'

interface QueueEntry {
  readonly message: ChainMessage
  deliveries: number
  receipt: string
  /** The executor that received the message last; empty if it is unknown. */
  receiver: ExecutorId | ''
  /** Virtual time from which the message is visible. */
  visibleAtMs: number
}

interface ReceiveFilter {
  readonly deployment?: DeploymentId
  readonly pool?: Pool
  readonly deliveryLimit?: DeliveryLimit
}

const countOperations = (entries: readonly QueueEntry[]): number =>
  entries.reduce((sum, { message }) => sum + message.operations.length, 0)

/**
 * Creates a queue with minimal guarantees, which outlives all processes. It delivers messages at
 * least once and in any order, and hides a delivered message during a timeout. After too many
 * deliveries a message becomes a dead letter. The messages that a retired executor received do not
 * count towards the delivery limit.
 */
export function createQueue(
  scheduler: Scheduler,
  draw: SeededDraw,
  isRetired: (deployment: DeploymentId, executor: ExecutorId) => boolean,
): ChainQueuePort {
  let entries: QueueEntry[] = []
  const deadLetters: ChainMessage[] = []
  const wakers: (() => void)[] = []
  let receipts = 0
  const createEntry = (message: ChainMessage): QueueEntry => {
    const visibleAtMs = scheduler.nowMs()
    return { message, deliveries: 0, receipt: '', receiver: '', visibleAtMs }
  }
  const receiveVisible = (
    max: number,
    { deployment, pool, deliveryLimit }: ReceiveFilter,
  ): readonly Delivery[] => {
    const nowMs = scheduler.nowMs()
    const visibleEntries = entries.filter(
      ({ message, visibleAtMs }) =>
        visibleAtMs <= nowMs &&
        (deployment === undefined || message.deployment === deployment) &&
        (pool === undefined || (message.pool ?? 'short') === pool),
    )
    const heldEntries = entries.filter(
      ({ message, visibleAtMs, receiver }) =>
        visibleAtMs > nowMs &&
        message.deployment === deployment &&
        (receiver === '' || !isRetired(message.deployment, receiver)),
    )
    const received: Delivery[] = []
    let operations = countOperations(heldEntries)
    for (const entry of draw.chance(0.3) ? visibleEntries.toReversed() : visibleEntries) {
      if (received.length >= max) break
      if (entry.deliveries >= limits.deliveriesMax) {
        deadLetters.push(entry.message)
        entries = entries.filter(other => other !== entry)
        continue
      }
      operations += entry.message.operations.length
      // The limit never refuses the only message, which may exceed it alone.
      const isFirst = heldEntries.length + received.length === 0
      if (deliveryLimit !== undefined && operations > deliveryLimit.operationsMax && !isFirst) break
      receipts += 1
      entry.receiver = deliveryLimit?.executor ?? ''
      entry.deliveries += 1
      entry.receipt = `receipt ${receipts}`
      entry.visibleAtMs = nowMs + limits.visibilityMs
      const { message, receipt, deliveries } = entry
      received.push({ message, receipt, deliveries })
    }
    return received
  }
  return {
    send: async messages => {
      for (const message of messages) entries.push(createEntry(message))
      for (const wake of wakers.splice(0)) wake()
    },
    async receive(max, waitMs, options = {}) {
      const untilMs = scheduler.nowMs() + waitMs
      for (;;) {
        if (options.signal?.aborted === true) return []
        const received = receiveVisible(max, options)
        if (received.length > 0 || scheduler.nowMs() >= untilMs) return received
        await new Promise<void>(resolve => {
          const cancelTimer = scheduler.after(untilMs - scheduler.nowMs(), resolve)
          wakers.push(() => {
            cancelTimer()
            resolve()
          })
        })
      }
    },
    remove: async receipt => {
      entries = entries.filter(entry => entry.receipt !== receipt)
      for (const wake of wakers.splice(0)) wake()
    },
    extend: async (receipt, ms) => {
      const entry = entries.find(other => other.receipt === receipt)
      if (entry === undefined) return false
      entry.visibleAtMs = scheduler.nowMs() + ms
      return true
    },
    redrive: async deployment => {
      const redriven = deadLetters.filter(message => message.deployment === deployment)
      for (const message of redriven) deadLetters.splice(deadLetters.indexOf(message), 1)
      for (const message of redriven) entries.push(createEntry(message))
      return redriven.length
    },
    listDeadLetters: async deployment =>
      deadLetters.filter(message => message.deployment === deployment),
  }
}

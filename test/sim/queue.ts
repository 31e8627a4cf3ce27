import { limits } from '../../shared/config/limits.ts'
import type { ChainMessage, ChainQueuePort, Delivery } from '../../shared/ports/queue.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import type { Pool } from '../../shared/records/pool.ts'
import type { Draw } from './draw.ts'
import type { Scheduler } from './scheduler.ts'

interface Entry {
  readonly message: ChainMessage
  deliveries: number
  receipt: string
  /** It is visible from then on. */
  visibleAtMs: number
}

/**
 * A queue that promises as little as a queue may: at least once, in any order, invisible while on
 * loan, given up after too many deliveries. It outlives all processes.
 */
export function createQueue(scheduler: Scheduler, draw: Draw): ChainQueuePort {
  let entries: Entry[] = []
  const dead: ChainMessage[] = []
  const waiting: (() => void)[] = []
  let receipts = 0
  const take = (
    max: number,
    { deployment, pool }: { readonly deployment?: DeploymentId; readonly pool?: Pool },
  ): readonly Delivery[] => {
    const nowMs = scheduler.nowMs()
    const open = entries.filter(
      ({ message, visibleAtMs }) =>
        visibleAtMs <= nowMs &&
        (deployment === undefined || message.deployment === deployment) &&
        (pool === undefined || (message.pool ?? 'short') === pool),
    )
    const taken: Delivery[] = []
    for (const entry of draw.chance(0.3) ? open.toReversed() : open) {
      if (taken.length >= max) break
      if (entry.deliveries >= limits.deliveriesMax) {
        dead.push(entry.message)
        entries = entries.filter(other => other !== entry)
        continue
      }
      receipts += 1
      entry.deliveries += 1
      entry.receipt = `receipt ${receipts}`
      entry.visibleAtMs = nowMs + limits.visibilityMs
      const { message, receipt, deliveries } = entry
      taken.push({ message, receipt, deliveries })
    }
    return taken
  }
  return {
    send: async messages => {
      for (const message of messages)
        entries.push({ message, deliveries: 0, receipt: '', visibleAtMs: scheduler.nowMs() })
      for (const wake of waiting.splice(0)) wake()
    },
    async receive(max, waitMs, about = {}) {
      const untilMs = scheduler.nowMs() + waitMs
      for (;;) {
        if (about.signal?.aborted === true) return []
        const taken = take(max, about)
        if (taken.length > 0 || scheduler.nowMs() >= untilMs) return taken
        await new Promise<void>(done => {
          const callOff = scheduler.after(untilMs - scheduler.nowMs(), done)
          waiting.push(() => {
            callOff()
            done()
          })
        })
      }
    },
    remove: async receipt => {
      entries = entries.filter(entry => entry.receipt !== receipt)
    },
    extend: async (receipt, ms) => {
      const entry = entries.find(other => other.receipt === receipt)
      if (entry === undefined) return false
      entry.visibleAtMs = scheduler.nowMs() + ms
      return true
    },
    redrive: async deployment => {
      const again = dead.filter(message => message.deployment === deployment)
      for (const message of again) dead.splice(dead.indexOf(message), 1)
      for (const message of again)
        entries.push({ message, deliveries: 0, receipt: '', visibleAtMs: scheduler.nowMs() })
      return again.length
    },
    deadLetters: async deployment => dead.filter(message => message.deployment === deployment),
  }
}

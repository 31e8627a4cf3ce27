import { triggerLimits } from '../../config/trigger-limits.ts'
import type { NotificationsPort, OutgoingMessage } from '../../ports/notifications.ts'
import type { ClockPort, RandomPort } from '../../ports/system.ts'
import { createWaiters } from './waiters.ts'

/** A message in memory. While it has a receipt, it is in delivery. */
interface QueuedNotification {
  readonly message: OutgoingMessage
  /** On the monotonic clock. */
  visibleAtMs: number
  deliveries: number
  receipt: string
}

/**
 * Creates the notifications in the memory of one process. Messages that are undelivered when the
 * process ends are lost.
 */
export function createNotifications(deps: {
  readonly clock: ClockPort
  readonly random: Pick<RandomPort, 'uuid'>
  readonly visibilityMs?: number
}): NotificationsPort {
  const { clock, random, visibilityMs = triggerLimits.notificationLoanMs } = deps
  const held = new Set<QueuedNotification>()
  const dead: OutgoingMessage[] = []
  const waiters = createWaiters(clock)
  const enqueue = (message: OutgoingMessage): void => {
    held.add({ message, visibleAtMs: 0, deliveries: 0, receipt: '' })
    waiters.wakeOne()
  }
  const takeDue = (max: number) => {
    const now = clock.monotonicMs()
    const due = [...held].filter(one => one.visibleAtMs <= now)
    buryUndeliverable(due, held, dead)
    return due
      .filter(one => !isSpent(one))
      .slice(0, max)
      .map(one => {
        one.deliveries += 1
        one.receipt = random.uuid()
        one.visibleAtMs = now + visibilityMs
        const { message, receipt, deliveries } = one
        return { message, receipt, deliveries }
      })
  }
  const findByReceipt = (receipt: string): QueuedNotification | undefined =>
    [...held].find(one => one.receipt === receipt)
  return {
    send: async messages => messages.forEach(enqueue),
    receive: async (max, waitMs, signal) => {
      const untilMs = clock.monotonicMs() + waitMs
      for (;;) {
        if (signal?.aborted === true) return []
        const taken = takeDue(max)
        const now = clock.monotonicMs()
        if (taken.length > 0 || now >= untilMs) return taken
        const next = Math.min(untilMs, ...[...held].map(one => one.visibleAtMs))
        await waiters.wait(Math.max(1, next - now), signal)
      }
    },
    remove: async receipt => {
      const one = findByReceipt(receipt)
      if (one !== undefined) held.delete(one)
    },
    postpone: async (receipt, ms) => {
      const one = findByReceipt(receipt)
      if (one === undefined) return
      one.visibleAtMs = clock.monotonicMs() + ms
      one.receipt = ''
      waiters.wakeOne()
    },
    listDeadLetters: async limit => {
      takeDue(0)
      return dead.slice(0, limit)
    },
    redrive: async () => {
      takeDue(0)
      const letters = dead.splice(0)
      letters.forEach(enqueue)
      return letters.length
    },
  }
}

/**
 * Moves messages without remaining attempts to the dead letters. The oldest dead letters are
 * dropped.
 */
function buryUndeliverable(
  due: readonly QueuedNotification[],
  held: Set<QueuedNotification>,
  dead: OutgoingMessage[],
): void {
  for (const one of due.filter(isSpent)) {
    held.delete(one)
    dead.push(one.message)
    if (dead.length > triggerLimits.deadNotificationsMax) dead.shift()
  }
}

function isSpent({ deliveries }: QueuedNotification): boolean {
  return deliveries >= triggerLimits.notificationAttemptsMax
}

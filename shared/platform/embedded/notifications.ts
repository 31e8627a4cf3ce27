import { triggerLimits } from '../../config/trigger-limits.ts'
import type { NotificationsPort, OutgoingMessage } from '../../ports/notifications.ts'
import type { ClockPort, RandomPort } from '../../ports/system.ts'
import { createWaiters } from './waiters.ts'

/** A message in memory. */
interface QueuedNotification {
  readonly message: OutgoingMessage
  /** The time in ms, on the monotonic clock, from which the message can be delivered. */
  visibleAtMs: number
  deliveries: number
  /** The receipt of the last delivery. '' before the first one and after a postponement. */
  receipt: string
}

/**
 * Creates the notifications in the memory of one process. When the process ends, the remaining
 * messages and dead letters are lost.
 */
export function createNotifications(deps: {
  readonly clock: ClockPort
  readonly random: Pick<RandomPort, 'uuid'>
  readonly visibilityMs?: number
}): NotificationsPort {
  const { clock, random, visibilityMs = triggerLimits.notificationVisibilityMs } = deps
  const queuedNotifications = new Set<QueuedNotification>()
  const deadLetters: OutgoingMessage[] = []
  const waiters = createWaiters(clock)
  const enqueue = (message: OutgoingMessage): void => {
    queuedNotifications.add({ message, visibleAtMs: 0, deliveries: 0, receipt: '' })
    waiters.wakeOne()
  }
  const listDue = (nowMs: number): readonly QueuedNotification[] =>
    [...queuedNotifications].filter(({ visibleAtMs }) => visibleAtMs <= nowMs)
  const collectDeadLetters = (nowMs: number): void =>
    moveToDeadLetters(listDue(nowMs), queuedNotifications, deadLetters)
  const takeDueMessages = (messagesMax: number) => {
    const nowMs = clock.monotonicMs()
    collectDeadLetters(nowMs)
    return listDue(nowMs)
      .slice(0, messagesMax)
      .map(notification => {
        notification.deliveries += 1
        notification.receipt = random.uuid()
        notification.visibleAtMs = nowMs + visibilityMs
        const { message, receipt, deliveries } = notification
        return { message, receipt, deliveries }
      })
  }
  const findByReceipt = (receipt: string): QueuedNotification | undefined =>
    [...queuedNotifications].find(notification => notification.receipt === receipt)
  return {
    send: async messages => messages.forEach(enqueue),
    receive: async (messagesMax, waitMs, signal) => {
      const deadlineMs = clock.monotonicMs() + waitMs
      for (;;) {
        if (signal?.aborted === true) return []
        const deliveries = takeDueMessages(messagesMax)
        const nowMs = clock.monotonicMs()
        if (deliveries.length > 0 || nowMs >= deadlineMs) return deliveries
        const visibleTimesMs = [...queuedNotifications].map(({ visibleAtMs }) => visibleAtMs)
        const nextCheckMs = Math.min(deadlineMs, ...visibleTimesMs)
        await waiters.wait(Math.max(1, nextCheckMs - nowMs), signal)
      }
    },
    remove: async receipt => {
      const notification = findByReceipt(receipt)
      if (notification !== undefined) queuedNotifications.delete(notification)
    },
    postpone: async (receipt, ms) => {
      const notification = findByReceipt(receipt)
      if (notification === undefined) return
      notification.visibleAtMs = clock.monotonicMs() + ms
      notification.receipt = ''
      waiters.wakeOne()
    },
    listDeadLetters: async limit => {
      collectDeadLetters(clock.monotonicMs())
      return deadLetters.slice(0, limit)
    },
    redrive: async () => {
      collectDeadLetters(clock.monotonicMs())
      const letters = deadLetters.splice(0)
      letters.forEach(enqueue)
      return letters.length
    },
  }
}

/**
 * Moves messages that have no deliveries left to the dead letters. If there are then too many dead
 * letters, the oldest ones are dropped.
 */
function moveToDeadLetters(
  dueNotifications: readonly QueuedNotification[],
  queuedNotifications: Set<QueuedNotification>,
  deadLetters: OutgoingMessage[],
): void {
  for (const notification of dueNotifications.filter(isUndeliverable)) {
    queuedNotifications.delete(notification)
    deadLetters.push(notification.message)
    if (deadLetters.length > triggerLimits.deadNotificationsMax) deadLetters.shift()
  }
}

function isUndeliverable({ deliveries }: QueuedNotification): boolean {
  return deliveries >= triggerLimits.notificationAttemptsMax
}

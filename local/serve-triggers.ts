import { lookAtSchedule } from '../functions/schedule/handle.ts'
import { triggerLimits } from '../shared/config/trigger-limits.ts'
import { messageOf } from '../shared/errors/error.ts'
import type { OutboundPort } from '../shared/ports/outbound.ts'
import type { DocumentKey } from '../shared/ports/documents.ts'
import type { EmbeddedPlatform } from '../shared/platform/embedded/platform.ts'
import type { DeploymentOptions } from '../shared/records/log.ts'
import { handleDelivery } from '../shared/triggers/deliver-message.ts'

/** How triggers are served. */
export interface TriggersAbout {
  readonly outbound: OutboundPort
  /** Who runs the operations of what schedules ask for. */
  readonly execute: DeploymentOptions['execute']
  /** Aborts when it is to end: what is being delivered is awaited. */
  readonly over: AbortSignal
}

/**
 * Runs the schedules of the store and delivers what is to be told, until it is told to end. Of
 * several processes that do so each run is asked for once. What is wrong with one schedule or
 * message is logged and hinders no other.
 */
export async function serveTriggers(
  platform: EmbeddedPlatform,
  about: TriggersAbout,
): Promise<void> {
  await Promise.all([runSchedules(platform, about), deliverAll(platform, about)])
}

async function runSchedules(
  platform: EmbeddedPlatform,
  { execute, over }: TriggersAbout,
): Promise<void> {
  const { clock, journal } = platform
  while (!over.aborted) {
    try {
      for await (const key of scheduleKeys(platform)) {
        if (over.aborted) return
        await lookAtSchedule({ ...platform, execute }, key).catch((thrown: unknown) =>
          journal.write('warn', 'schedule.failed', { name: key.name, why: messageOf(thrown) }),
        )
      }
    } catch (thrown) {
      journal.write('warn', 'schedules.unreadable', { why: messageOf(thrown) })
    }
    await clock.sleep(triggerLimits.scheduleLookMs, over)
  }
}

async function* scheduleKeys({ documents }: EmbeddedPlatform): AsyncGenerator<DocumentKey> {
  let cursor: string | undefined = ''
  while (cursor !== undefined) {
    const page: Awaited<ReturnType<typeof documents.list>> = await documents.list(
      'schedule',
      cursor,
    )
    for (const { key } of page.documents) yield key
    cursor = page.next
  }
}

async function deliverAll(
  platform: EmbeddedPlatform,
  { outbound, over }: TriggersAbout,
): Promise<void> {
  const { notifications, journal } = platform
  const { notificationsAtOnce: atOnce, notificationLookMs: waitMs } = triggerLimits
  while (!over.aborted) {
    const deliveries = await notifications.receive(atOnce, waitMs, over)
    await Promise.all(
      deliveries.map(delivery =>
        handleDelivery({ ...platform, outbound }, delivery).catch((thrown: unknown) =>
          journal.write('warn', 'notification.failed', { why: messageOf(thrown) }),
        ),
      ),
    )
  }
}

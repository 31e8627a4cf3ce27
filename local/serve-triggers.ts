import { runDueSchedule } from '../functions/schedule/run-due-schedule.ts'
import { notifyExpiredApprovals } from '../functions/step-generator/notify-expired-approvals.ts'
import { triggerLimits } from '../shared/config/trigger-limits.ts'
import { messageOf } from '../shared/errors/error.ts'
import type { OutboundPort } from '../shared/ports/outbound.ts'
import type { DocumentKey } from '../shared/ports/documents.ts'
import type { EmbeddedPlatform } from '../shared/platform/embedded/embedded-platform.ts'
import type { DeploymentOptions } from '../shared/records/log.ts'
import { findStacksWithExpiredApprovals } from '../shared/runtime/approvals/stored-approval.ts'
import { deliverMessage } from '../shared/triggers/notifications/deliver-message.ts'

/** The options of serving triggers. */
export interface TriggerOptions {
  readonly outbound: OutboundPort
  /** The public address of the dashboard, for links in replies. */
  readonly dashboardUrl?: string
  /** The processes that run the requested operations. */
  readonly execute: DeploymentOptions['execute']
  /** Aborts when this process must shut down. Deliveries in progress are awaited. */
  readonly shutdown: AbortSignal
}

/**
 * Runs the schedules of the store, reports expired approvals and delivers notifications until
 * `shutdown` aborts. If several processes serve triggers, each run of a schedule is still requested
 * once. A failing schedule or notification is logged and does not affect others.
 */
export async function serveTriggers(
  platform: EmbeddedPlatform,
  options: TriggerOptions,
): Promise<void> {
  await Promise.all([
    runDueSchedules(platform, options),
    reportExpiredApprovals(platform, options),
    deliverNotifications(platform, options),
  ])
}

async function runDueSchedules(
  platform: EmbeddedPlatform,
  { execute, shutdown }: TriggerOptions,
): Promise<void> {
  const { clock, logger } = platform
  while (!shutdown.aborted) {
    try {
      for await (const key of listScheduleKeys(platform)) {
        if (shutdown.aborted) return
        await runDueSchedule({ ...platform, execute }, key).catch((thrown: unknown) =>
          logger.write('warn', 'schedule.failed', { name: key.name, why: messageOf(thrown) }),
        )
      }
    } catch (thrown) {
      logger.write('warn', 'schedules.unreadable', { why: messageOf(thrown) })
    }
    await clock.sleep(triggerLimits.scheduleCheckMs, shutdown)
  }
}

async function reportExpiredApprovals(
  platform: EmbeddedPlatform,
  { shutdown }: TriggerOptions,
): Promise<void> {
  const { clock, documents, logger } = platform
  while (!shutdown.aborted) {
    try {
      for (const stack of await findStacksWithExpiredApprovals(documents, clock.now()))
        await notifyExpiredApprovals({ platform, notifier: platform }, stack)
    } catch (thrown) {
      logger.write('warn', 'approvals.unreadable', { why: messageOf(thrown) })
    }
    await clock.sleep(triggerLimits.approvalCheckMs, shutdown)
  }
}

async function* listScheduleKeys({ documents }: EmbeddedPlatform): AsyncGenerator<DocumentKey> {
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

async function deliverNotifications(
  platform: EmbeddedPlatform,
  { outbound, dashboardUrl, shutdown }: TriggerOptions,
): Promise<void> {
  const { notifications, logger } = platform
  const { concurrentNotifications: batchSize, notificationWaitMs: waitMs } = triggerLimits
  const links = dashboardUrl === undefined ? {} : { dashboardUrl }
  while (!shutdown.aborted) {
    const deliveries = await notifications.receive(batchSize, waitMs, shutdown)
    await Promise.all(
      deliveries.map(delivery =>
        deliverMessage({ ...platform, outbound, ...links }, delivery).catch((thrown: unknown) =>
          logger.write('warn', 'notification.failed', { why: messageOf(thrown) }),
        ),
      ),
    )
  }
}

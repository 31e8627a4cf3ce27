import { messageOf } from '../../errors/error.ts'
import type { SchedulerPort } from '../../ports/scheduler.ts'
import type { LoggerPort } from '../../ports/system.ts'
import { scheduleDocument } from './due-schedule.ts'

/** The ports for removing the calls that EventBridge Scheduler makes for a schedule. */
export interface CallRemovalPorts {
  readonly scheduler?: Pick<SchedulerPort, 'remove'>
  readonly logger: LoggerPort
}

/**
 * Removes the calls of a schedule that is not stored any more. `value` is the value of its
 * document; any other value has no calls. Never throws, because the schedule function removes a
 * remaining call when it arrives.
 */
export async function removeSchedulerCalls(
  { scheduler, logger }: CallRemovalPorts,
  value: unknown,
): Promise<void> {
  const { data } = scheduleDocument.safeParse(value)
  if (scheduler === undefined || data?.placed === undefined) return
  const { placed } = data
  try {
    await scheduler.remove(placed)
  } catch (thrown) {
    logger.write('warn', 'scheduler.left', { placed, message: messageOf(thrown) })
  }
}

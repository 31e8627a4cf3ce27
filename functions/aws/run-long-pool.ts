import { awsLimits } from '../../shared/config/aws-limits.ts'
import type { LongQueueName } from '../../shared/config/aws-resource-names.ts'
import { createError, messageOf } from '../../shared/errors/error.ts'
import type { CallScaler } from '../../shared/platform/aws/call-scaler.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { TelemetryPort } from '../../shared/ports/telemetry.ts'
import { type FunctionResources, openFunctionResources } from './function-resources.ts'
import type { StackBinding } from './stack-binding.ts'
import { createTaskProtection, type TaskProtection } from './task-protection.ts'

/** One round of a long-pool task: receives waiting messages, if there are any, and serves them. */
export type LongPoolRound = (
  resources: FunctionResources,
  control: {
    readonly shutdown: AbortSignal
    /** Protects the task from scale-in, and then runs the work. */
    readonly protectWhile: <T>(work: () => Promise<T>) => Promise<T>
  },
) => Promise<void>

/** Pause of a task after a round that failed, in ms. */
const failurePauseMs = 5_000

/**
 * Runs a task of the long pool until SIGTERM or SIGINT. After the signal it receives no messages,
 * its generator hands over, and running operations are completed. Messages that failed are
 * delivered again. A task that ran the program of an unreviewed preview ends. Throws
 * AWS_SETTINGS_INVALID.
 */
export async function runLongPool(
  part: 'generator' | 'executor',
  queue: LongQueueName,
  runRound: LongPoolRound,
): Promise<void> {
  const resources = openFunctionResources(process.env, part)
  const { callScaler, platform } = resources
  if (callScaler === undefined)
    throw createError('AWS_SETTINGS_INVALID', 'no variable names the scaler of the long pool')
  const { clock, logger, telemetry } = platform
  const shutdown = new AbortController()
  process.once('SIGTERM', () => shutdown.abort())
  process.once('SIGINT', () => shutdown.abort())
  const protection = createTaskProtection(process.env, logger)
  const activity = createTaskActivity({ clock, callScaler, protection, queue })
  while (!shutdown.signal.aborted) {
    try {
      const { protectWhile } = activity
      await runRound(resources, { shutdown: shutdown.signal, protectWhile })
    } catch (thrown) {
      logger.write('error', 'task.failed', { message: messageOf(thrown) })
      await clock.sleep(failurePauseMs, shutdown.signal)
    }
    await endAfterUnreviewedRun(resources, { telemetry, reportEnd: activity.reportEnd })
    await activity.reportIdle()
  }
  await activity.reportEnd()
  await telemetry.flush()
  platform.close()
}

/**
 * Ends a task that ran the program of an unreviewed preview. ECS starts no other task in its place
 * if the scaler has lowered the number of tasks meanwhile. So the task first calls the scaler,
 * which starts a task if messages wait.
 */
export async function endAfterUnreviewedRun(
  { hasRunUnreviewed, endEnvironment }: Pick<StackBinding, 'hasRunUnreviewed' | 'endEnvironment'>,
  {
    telemetry,
    reportEnd,
  }: Pick<TaskActivity, 'reportEnd'> & { readonly telemetry: Pick<TelemetryPort, 'flush'> },
): Promise<void> {
  if (!hasRunUnreviewed()) return
  await reportEnd()
  await telemetry.flush()
  endEnvironment()
}

/** The calls with which a task of the long pool reports its activity to the scaler. */
export interface TaskActivity {
  /** Protects the task, runs the work, and calls the scaler once a minute meanwhile. */
  readonly protectWhile: <T>(work: () => Promise<T>) => Promise<T>
  /** Calls the scaler if the task had no work for a quarter of an hour. */
  readonly reportIdle: () => Promise<void>
  /** Calls the scaler after the last receive. A message may have arrived since the scale-in. */
  readonly reportEnd: () => Promise<void>
}

/** Creates the reports of a task that receives the messages of `queue`. */
export function createTaskActivity(deps: {
  readonly clock: Pick<ClockPort, 'monotonicMs' | 'repeat'>
  readonly callScaler: CallScaler
  readonly protection: TaskProtection
  readonly queue: LongQueueName
}): TaskActivity {
  const { clock, callScaler, protection, queue } = deps
  let lastWorkMs = clock.monotonicMs()
  return {
    protectWhile: async work => {
      // ECS may stop a task that is not protected yet, so the protection comes before the work.
      await protection.set(true)
      const check = (): void => void callScaler({ kind: 'check' })
      const stopChecks = clock.repeat(awsLimits.longPoolCheckMs, check)
      try {
        return await work()
      } finally {
        stopChecks()
        lastWorkMs = clock.monotonicMs()
        await protection.set(false)
      }
    },
    reportIdle: async () => {
      if (clock.monotonicMs() - lastWorkMs < awsLimits.longPoolIdleMs) return
      lastWorkMs = clock.monotonicMs()
      await callScaler({ kind: 'idle', queue })
    },
    reportEnd: () => callScaler({ kind: 'check' }),
  }
}

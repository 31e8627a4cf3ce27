import type { ScalerCall } from '../../shared/platform/aws/call-scaler.ts'
import type { TaskCounts } from '../../shared/platform/aws/long-pool-services.ts'
import type { MessageCounts } from '../../shared/platform/aws/queues/queue-depths.ts'

/** The state of one queue of the long pool and of its tasks. */
export type PoolState = TaskCounts & MessageCounts

/**
 * Returns the number of tasks that a service of the long pool shall have. `tasksMax` limits each
 * raise. Pure. The result is lower than `desired` only for `idle` and an empty queue, and is then 0.
 * A busy generator has already removed its message. It continues, because ECS stops no protected
 * task.
 *
 * - `sent`: one task for each message. At least as many as were sent, because SQS may count a
 *   message late.
 * - `check`: an idle task polls without pause, so a visible message means that all running tasks
 *   are busy. Each visible message then needs one more task. Without visible messages, one task
 *   suffices for the delayed messages, and for those that a receiver has (`held`).
 */
export function decideTaskCount(call: ScalerCall, state: PoolState, tasksMax: number): number {
  const { desired, running, visible, delayed, held } = state
  const raiseTo = (tasks: number): number => Math.max(desired, Math.min(tasks, tasksMax))
  switch (call.kind) {
    case 'sent':
      return raiseTo(Math.max(call.messages, visible + delayed + held))
    case 'check':
      if (visible > 0) return raiseTo(running + visible)
      return raiseTo(Math.min(delayed + held, 1))
    case 'idle':
      return visible + delayed + held === 0 ? 0 : desired
  }
}

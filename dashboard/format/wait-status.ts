import { hasFailed, type ShownStage, type ShownWait } from '../api/operation-views.ts'
import type { StatusDisplay } from './deployment-status.ts'
import { formatCount } from './format-count.ts'

/** Returns the stage of an operation as a status. Pure. */
export function stageStatusOf({
  stage,
  verdict,
}: {
  readonly stage: ShownStage
  readonly verdict?: string
}): StatusDisplay {
  switch (stage) {
    case 'waiting':
      return { text: 'waiting', tone: 'quiet' }
    case 'ready':
      return { text: 'ready', tone: 'quiet' }
    case 'running':
      return { text: 'running', tone: 'busy' }
    case 'ended':
      return verdictStatusOf(verdict)
  }
}

/** Returns the verdict of an operation or attempt as a status. Pure. */
export function verdictStatusOf(verdict: string | undefined): StatusDisplay {
  switch (verdict) {
    case 'succeeded':
      return { text: 'succeeded', tone: 'good' }
    case 'failed':
      return { text: 'failed', tone: 'bad' }
    case 'partial':
      return { text: 'not initialized', tone: 'bad' }
    case 'interrupted':
      return { text: 'result unknown', tone: 'warn' }
    default:
      return { text: verdict ?? 'without a result', tone: 'quiet' }
  }
}

/**
 * Returns a sentence about the reason why an operation does not run. Returns undefined for an
 * operation that runs or has ended. `limits`: the limits of calls that a running deployment uses.
 * `isEnded`: the deployment has ended. Pure.
 */
export function waitTextOf(
  wait: ShownWait,
  options: {
    readonly parallel: number
    readonly limits: readonly string[]
    readonly isEnded: boolean
  },
): string | undefined {
  const { parallel, limits, isEnded } = options
  switch (wait.kind) {
    case 'none':
      return undefined
    case 'operations':
      return operationsTextOf(wait, isEnded)
    case 'stopped':
      return 'The deployment begins no more operations, so this one never runs.'
    case 'undelivered':
      return 'Its message was delivered several times and never processed. Redrive sends it again.'
    case 'hook':
      return 'The program has to run this hook.'
    case 'slots':
      return `All ${formatCount(parallel, 'slot')} of the deployment are in use.`
    case 'delivery':
      return limits.length === 0
        ? 'It is ready, and waits for an executor.'
        : `It is ready, and may wait for a limit of calls: ${limits.join(', ')}.`
  }
}

function operationsTextOf({ count = 0, operations = [] }: ShownWait, isEnded: boolean): string {
  if (operations.some(hasFailed))
    return 'It never begins, because an operation that it needs has not succeeded:'
  if (isEnded) return 'It never began, because it needed operations that had not succeeded:'
  return count === 1
    ? 'It waits for another operation:'
    : `It waits for ${formatCount(count, 'other operation')}:`
}

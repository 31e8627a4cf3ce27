import type { DeployResult } from '../../shared/engine/request.ts'
import { DeployError, createError } from '../../shared/errors/error.ts'
import { formatWithNoun } from '../display/format-with-noun.ts'
import { styleOf, summaryOrder, isStepOp } from '../display/operation-style.ts'
import { errorLineOf } from './error-line.ts'
import type { EventFacts } from './observe-events.ts'

/** A failed deployment or preview. */
export interface FailedOperation {
  readonly facts: EventFacts
  readonly result: DeployResult
  /** The name of the operation, such as `update` or `preview`. */
  readonly operation: string
  /** Whether a terminal shows the display, which has all errors, and this error below it. */
  readonly isBelowDisplay: boolean
}

const pendingHint =
  'Resolve the pending operations (`antichain state pending ls`), correct the errors in the display, and run the command again.'

/**
 * Returns the error of a failed deployment. Below the display it is one line with counts. Otherwise
 * it has the first reported error with its resource, because the display may be redirected.
 */
export function createOperationError({
  facts,
  result,
  operation,
  isBelowDisplay,
}: FailedOperation): Error {
  const { firstError, outputLine } = facts
  const pendingOption = result.pending.length === 0 ? {} : { hint: pendingHint }
  if (firstError === undefined) {
    const reason = outputLine === '' ? 'no error was reported' : `its output was: ${outputLine}`
    const text = `the ${operation} failed: ${reason}`
    return createError('DEPLOYMENT_FAILED', text, pendingOption)
  }
  if (isBelowDisplay)
    return createError(
      'DEPLOYMENT_FAILED',
      `the ${operation} failed: ${formatCounts(facts, result)}`,
      {
        hint: '',
        ...pendingOption,
      },
    )
  const { message, urn = '' } = firstError
  return createError('DEPLOYMENT_FAILED', `the ${operation} failed: ${errorLineOf(message)}`, {
    ...pendingOption,
    details: urn === '' ? {} : { urn },
  })
}

/**
 * Shortens the message of an error that the display has already shown. The code, the hint and the
 * details remain. Returns any other error unchanged.
 */
export function shortenShownError(thrown: unknown, { firstError }: EventFacts): unknown {
  if (!(thrown instanceof DeployError)) return thrown
  if (firstError?.message.trim() !== thrown.message.trim()) return thrown
  const { code, hint, details } = thrown
  return createError(code, 'the operation failed: see the error above', {
    hint,
    details,
    cause: thrown,
  })
}

/** Formats the numbers of failed, changed and unchanged resources, such as `1 failed, 9 created`. */
function formatCounts({ failedCount, errorCount }: EventFacts, { changes }: DeployResult): string {
  const failure = failedCount > 0 ? `${failedCount} failed` : formatWithNoun(errorCount, 'error')
  const ops = summaryOrder.filter(isStepOp).filter(op => op !== 'same' && (changes[op] ?? 0) > 0)
  const counts = ops.map(op => `${changes[op]} ${styleOf(op).doneText}`)
  const sameCount = changes['same'] ?? 0
  return [failure, ...counts, ...(sameCount > 0 ? [`${sameCount} unchanged`] : [])].join(', ')
}

import { DeployError, createError } from '../../errors/error.ts'

/**
 * Returns the error for a stack that is not removed because one of its records is unreadable. The
 * hint for damaged records names the next step. Returns any other error unchanged.
 */
export function explainRefusedRemoval(thrown: unknown): unknown {
  if (!(thrown instanceof DeployError)) return thrown
  const { code, message, details, hint } = thrown
  if (code !== 'RECORD_DAMAGED' && code !== 'RECORD_TOO_NEW') return thrown
  const removalHint = 'Restore the record from a backup of the store, and remove the stack again.'
  return createError(code, `the stack was not removed: ${message}`, {
    details,
    cause: thrown,
    hint: code === 'RECORD_DAMAGED' ? removalHint : hint,
  })
}

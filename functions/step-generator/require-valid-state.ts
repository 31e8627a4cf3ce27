import { createError } from '../../shared/errors/error.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'

/**
 * Throws STATE_INTEGRITY for a state with an integrity error, so that no decision starts from it
 * (I7). Such a state was published in spite of its error, or a user forced its import.
 */
export function requireValidState(stored: StoredDeployment): void {
  const fault = verifyIntegrity(stored)
  if (fault === undefined) return
  throw createError('STATE_INTEGRITY', `snapshot integrity failure; refusing to use it: ${fault}`)
}

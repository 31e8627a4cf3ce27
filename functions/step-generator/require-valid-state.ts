import { error } from '../../shared/errors/error.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'

/**
 * Throws STATE_INTEGRITY for a state that breaks the rules, so that nothing is decided on it (I7).
 * Its writer recorded the error, or a user forced the state.
 */
export function requireValidState(stored: StoredDeployment): void {
  const fault = verifyIntegrity(stored)
  if (fault === undefined) return
  throw error('STATE_INTEGRITY', `snapshot integrity failure; refusing to use it: ${fault}`)
}

import { error } from '../../shared/errors/error.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'

/**
 * Nothing is decided upon a state that breaks the rules (I7): whoever wrote it noted it there, or a
 * person forced it in. Throws STATE_INTEGRITY.
 */
export function requireValidState(stored: StoredDeployment): void {
  const fault = verifyIntegrity(stored)
  if (fault === undefined) return
  throw error('STATE_INTEGRITY', `snapshot integrity failure; refusing to use it: ${fault}`)
}

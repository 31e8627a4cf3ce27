import { randomBytes } from 'node:crypto'

/**
 * Creates a name for a schedule or webhook that the user has not named: a prefix, and the hex
 * digits of `byteCount` random bytes.
 */
export function createDocumentName(prefix: string, byteCount: number): string {
  return `${prefix}${randomBytes(byteCount).toString('hex')}`
}

import { randomBytes } from 'node:crypto'

/**
 * Creates a name for a schedule or webhook that the user has not named: a prefix, and the hex
 * digits of `bytes` random bytes.
 */
export function createDocumentName(prefix: string, bytes: number): string {
  return `${prefix}${randomBytes(bytes).toString('hex')}`
}

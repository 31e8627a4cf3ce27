import { randomBytes } from 'node:crypto'

/** Creates a name for a document that its user has not named: a prefix, and random hex digits. */
export function createDocumentName(prefix: string, bytes: number): string {
  return `${prefix}${randomBytes(bytes).toString('hex')}`
}

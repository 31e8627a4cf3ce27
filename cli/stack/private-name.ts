import { randomBytes } from 'node:crypto'

/** Creates the name of a document that a user does not name: a prefix, and random hex digits. */
export function createPrivateName(prefix: string, bytes: number): string {
  return `${prefix}${randomBytes(bytes).toString('hex')}`
}

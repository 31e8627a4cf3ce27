import type { DocumentKey } from '../../ports/documents.ts'
import { isRecordObject } from './record-layouts.ts'

/**
 * Returns the value that the document of a stack has after a rename of the stack. In a
 * notification, `secretScope` keeps the old id of the stack, under which the secret was sealed,
 * because a rename opens no secrets.
 */
export function movedValueOf({ kind, scope }: DocumentKey, value: unknown): unknown {
  if (kind !== 'notification' || !isRecordObject(value) || value['secret'] === undefined)
    return value
  // After an earlier rename, the value already has the id under which its secret was sealed.
  return { secretScope: scope, ...value }
}

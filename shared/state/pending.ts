import { error } from '../errors/error.ts'
import type { PendingOperationType } from './snapshot.ts'

const types = ['creating', 'updating', 'deleting', 'reading', 'importing'] as const

/** The type of a pending operation. Throws STATE_INVALID. */
export function parsePending(text: string): PendingOperationType {
  const type = types.find(known => known === text)
  if (type === undefined)
    throw error('STATE_INVALID', `the state has a pending operation of the unknown type '${text}'`)
  return type
}

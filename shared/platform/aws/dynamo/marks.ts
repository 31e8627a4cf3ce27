import type { MarksPort } from '../../../ports/documents.ts'
import type { RandomPort } from '../../../ports/system.ts'
import { existsCondition } from './table/expressions.ts'
import { toItem, readNumber, readText } from './table/item.ts'
import { catalogKeys as keys } from './record-keys.ts'
import { getItem, type Table, updateItem } from './table/table.ts'

/**
 * Creates the marks in the catalog, each in its own partition. An expired mark counts as absent
 * immediately, and DynamoDB deletes it later. A removal only sets the expiry to a past time, so it
 * needs no permission to delete.
 */
export function createMarks({
  catalogTable,
  random,
}: {
  readonly catalogTable: Table
  readonly random: Pick<RandomPort, 'uuid'>
}): MarksPort {
  const { clock } = catalogTable
  return {
    mark: async (key, expiresAt) => {
      const token = random.uuid()
      const writeResult = await updateItem(catalogTable, {
        key: keys.mark(key),
        updateExpression: 'SET #until = :until, #token = :token, #expires = :expires',
        condition: 'attribute_not_exists(#pk) OR #until <= :now',
        values: toItem({
          until: expiresAt,
          token,
          expires: toWholeSeconds(expiresAt),
          now: clock.now(),
        }),
      })
      if (writeResult.isDone) return true
      return writeResult.existing !== undefined && readText(writeResult.existing, 'token') === token
    },
    isMarked: async key => {
      const item = await getItem(catalogTable, keys.mark(key))
      return item !== undefined && readNumber(item, 'until') > clock.now()
    },
    unmark: async key => {
      const now = clock.now()
      await updateItem(catalogTable, {
        key: keys.mark(key),
        updateExpression: 'SET #until = :until, #expires = :expires',
        condition: existsCondition,
        values: toItem({ until: 0, expires: toWholeSeconds(now) }),
      })
    },
  }
}

/** Converts a time to the whole seconds of an expiry, rounded up so that no item expires early. */
const toWholeSeconds = (ms: number): number => Math.ceil(ms / 1000)

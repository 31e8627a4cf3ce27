import type { MarksPort } from '../../../ports/documents.ts'
import type { RandomPort } from '../../../ports/system.ts'
import { isThere } from './table/expressions.ts'
import { toItem, readNumber, readText } from './table/item.ts'
import { catalogKeys as keys } from './record-keys.ts'
import { getItem, type Table, updateItem } from './table/table.ts'

/**
 * Creates the marks in the catalog, each in its own partition. An expired mark counts as absent
 * immediately, and DynamoDB deletes it later. A removal only ends the mark's time, so it needs no
 * permission to delete.
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
    mark: async (key, until) => {
      const token = random.uuid()
      const written = await updateItem(catalogTable, {
        key: keys.mark(key),
        set: 'SET #until = :until, #token = :token, #expires = :expires',
        condition: 'attribute_not_exists(#pk) OR #until <= :now',
        values: toItem({ until, token, expires: secondsOf(until), now: clock.now() }),
      })
      if (written.isDone) return true
      return written.existing !== undefined && readText(written.existing, 'token') === token
    },
    isMarked: async key => {
      const item = await getItem(catalogTable, keys.mark(key))
      return item !== undefined && readNumber(item, 'until') > clock.now()
    },
    unmark: async key => {
      const now = clock.now()
      await updateItem(catalogTable, {
        key: keys.mark(key),
        set: 'SET #until = :until, #expires = :expires',
        condition: isThere,
        values: toItem({ until: 0, expires: secondsOf(now) }),
      })
    },
  }
}

/** DynamoDB expires items by whole seconds. An item never expires early. */
const secondsOf = (at: number): number => Math.ceil(at / 1000)

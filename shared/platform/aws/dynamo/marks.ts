import type { MarksPort } from '../../../ports/documents.ts'
import type { RandomPort } from '../../../ports/system.ts'
import { isThere } from './table/expressions.ts'
import { toItem, readNumber, readText } from './table/item.ts'
import { catalogKeys as keys } from './record-keys.ts'
import { getItem, type Table, updateItem } from './table/table.ts'

/**
 * Marks in the catalog, each in a partition of its own. One whose time is over is as good as absent
 * at once, and removed by DynamoDB later; so one that is taken away only loses its time, which
 * whoever may remove nothing can do.
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

/** DynamoDB removes by seconds, never before the time. */
const secondsOf = (at: number): number => Math.ceil(at / 1000)

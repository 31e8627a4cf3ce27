import type { MarksPort } from '../../../ports/documents.ts'
import type { RandomPort } from '../../../ports/system.ts'
import { isThere } from './expressions.ts'
import { itemOf, number, text } from './item.ts'
import { catalogKeys as keys } from './keys.ts'
import { getItem, type Table, updateItem } from './table.ts'

/**
 * Marks in the catalog, each in a partition of its own. One whose time is over is as good as absent
 * at once, and removed by DynamoDB later; so one that is taken away only loses its time, which
 * whoever may remove nothing can do.
 */
export function createMarks({
  catalog,
  random,
}: {
  readonly catalog: Table
  readonly random: Pick<RandomPort, 'uuid'>
}): MarksPort {
  const { clock } = catalog
  return {
    mark: async (key, until) => {
      const token = random.uuid()
      const written = await updateItem(catalog, {
        key: keys.mark(key),
        set: 'SET #until = :until, #token = :token, #expires = :expires',
        condition: 'attribute_not_exists(#pk) OR #until <= :now',
        values: itemOf({ until, token, expires: secondsOf(until), now: clock.now() }),
      })
      if (written.isDone) return true
      return written.stands !== undefined && text(written.stands, 'token') === token
    },
    isMarked: async key => {
      const item = await getItem(catalog, keys.mark(key))
      return item !== undefined && number(item, 'until') > clock.now()
    },
    unmark: async key => {
      const now = clock.now()
      await updateItem(catalog, {
        key: keys.mark(key),
        set: 'SET #until = :until, #expires = :expires',
        condition: isThere,
        values: itemOf({ until: 0, expires: secondsOf(now) }),
      })
    },
  }
}

/** DynamoDB removes by seconds, never before the time. */
const secondsOf = (at: number): number => Math.ceil(at / 1000)

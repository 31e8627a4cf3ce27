import { isDeepStrictEqual } from 'node:util'
import type { DecisionLogPort } from '../../../ports/records.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import type { LogRecord } from '../../../records/log.ts'
import { type Item, itemOf, text } from './item.ts'
import { journalKeys as keys, numberIn } from './keys.ts'
import { createRemembered } from './remembered.ts'
import { formOf, jsonIn, readableItem } from './stored.ts'
import { getItem, putItem, queryItems, type Table } from './table.ts'

/**
 * The decision log in the journal: one conditional put for an append. That the record before is
 * there is no condition of that put, which is about one item; the writer knows it, for it appended
 * or read that record, and else it looks. What is there stays there while anybody may append.
 */
export function createDecisionLog(journal: Table): DecisionLogPort {
  /** The last record of a log that is known to be there. */
  const known = createRemembered<number>()
  const isKnown = (deployment: DeploymentId, number: number): void => {
    if (number > (known.get(deployment) ?? -1)) known.set(deployment, number)
  }
  const isThere = async (deployment: DeploymentId, number: number): Promise<boolean> => {
    if (number < 0 || number <= (known.get(deployment) ?? -1)) return true
    const before = await getItem(journal, keys.log(deployment, number))
    if (before === undefined) return false
    isKnown(deployment, number)
    return true
  }
  return {
    append: async (deployment, record) => {
      const { number } = record
      if (!(await isThere(deployment, number - 1))) return 'taken'
      const written = await putItem(journal, {
        key: keys.log(deployment, number),
        item: { ...formOf('log', journal), ...itemOf({ record: JSON.stringify(record) }) },
        ifAbsent: true,
      })
      if (written.isDone || written.stands !== undefined) isKnown(deployment, number)
      if (written.isDone) return 'appended'
      const { stands } = written
      if (stands === undefined) return 'taken'
      return isSame(recordIn(deployment, number, stands), record) ? 'mine' : 'taken'
    },
    read: async (deployment, from, limit) => {
      const { pk, sk } = keys.log(deployment, from)
      const items = await queryItems(journal, { pk, atLeast: sk, limit })
      const records = items.map(item => recordIn(deployment, numberIn(text(item, 'sk')), item))
      const last = records.at(-1)
      if (last !== undefined) isKnown(deployment, last.number)
      return records
    },
  }
}

/** As values: what is undefined is not stored, and fields have no order. */
function isSame(stands: LogRecord, given: LogRecord): boolean {
  return isDeepStrictEqual(stands, JSON.parse(JSON.stringify(given)))
}

function recordIn(deployment: DeploymentId, number: number, item: Item): LogRecord {
  const keys = { deployment, number }
  readableItem('log', keys, item)
  return jsonIn({ kind: 'log', keys }, item, 'record', isRecord(number))
}

function isRecord(number: number): (value: unknown) => value is LogRecord {
  return (value): value is LogRecord =>
    typeof value === 'object' &&
    value !== null &&
    'number' in value &&
    value.number === number &&
    'decisions' in value
}

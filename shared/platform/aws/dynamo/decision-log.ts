import { isDeepStrictEqual } from 'node:util'
import type { DecisionLogPort } from '../../../ports/records.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import type { LogRecord } from '../../../records/log.ts'
import { type Item, toItem, readText } from './table/item.ts'
import { journalKeys as keys, parsePaddedNumber } from './record-keys.ts'
import { createLruCache } from './lru-cache.ts'
import { recordAttributesOf, parseJsonAttribute, requireReadableItem } from './record-format.ts'
import { getItem, putItem, queryItems, type Table } from './table/table.ts'

/**
 * Creates the decision log in the journal. An append is one conditional put of one item, which
 * cannot require that the previous record exists. The writer usually knows that record because it
 * appended or read it; otherwise it checks. No record is removed while a writer may append.
 */
export function createDecisionLog(journalTable: Table): DecisionLogPort {
  /** The last record of each log that is known to exist. */
  const known = createLruCache<number>()
  const rememberRecord = (deployment: DeploymentId, number: number): void => {
    if (number > (known.get(deployment) ?? -1)) known.set(deployment, number)
  }
  const isRecorded = async (deployment: DeploymentId, number: number): Promise<boolean> => {
    if (number < 0 || number <= (known.get(deployment) ?? -1)) return true
    const before = await getItem(journalTable, keys.log(deployment, number))
    if (before === undefined) return false
    rememberRecord(deployment, number)
    return true
  }
  return {
    append: async (deployment, record) => {
      const { number } = record
      if (!(await isRecorded(deployment, number - 1))) return 'taken'
      const written = await putItem(journalTable, {
        key: keys.log(deployment, number),
        item: {
          ...recordAttributesOf('log', journalTable),
          ...toItem({ record: JSON.stringify(record) }),
        },
        ifAbsent: true,
      })
      if (written.isDone || written.existing !== undefined) rememberRecord(deployment, number)
      if (written.isDone) return 'appended'
      const { existing } = written
      if (existing === undefined) return 'taken'
      return isSame(parseLogRecord(deployment, number, existing), record) ? 'mine' : 'taken'
    },
    read: async (deployment, from, limit) => {
      const { pk, sk } = keys.log(deployment, from)
      const items = await queryItems(journalTable, { pk, atLeast: sk, limit })
      const records = items.map(item =>
        parseLogRecord(deployment, parsePaddedNumber(readText(item, 'sk')), item),
      )
      const last = records.at(-1)
      if (last !== undefined) rememberRecord(deployment, last.number)
      return records
    },
  }
}

/** Compares as values, because undefined fields are not stored and fields have no order. */
function isSame(existing: LogRecord, appended: LogRecord): boolean {
  return isDeepStrictEqual(existing, JSON.parse(JSON.stringify(appended)))
}

function parseLogRecord(deployment: DeploymentId, number: number, item: Item): LogRecord {
  const keys = { deployment, number }
  requireReadableItem('log', keys, item)
  return parseJsonAttribute({ kind: 'log', keys }, item, 'record', createRecordCheck(number))
}

function createRecordCheck(number: number): (value: unknown) => value is LogRecord {
  return (value): value is LogRecord =>
    typeof value === 'object' &&
    value !== null &&
    'number' in value &&
    value.number === number &&
    'decisions' in value
}

import { isDeepStrictEqual } from 'node:util'
import type { DecisionLogPort } from '../../../ports/records.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import type { LogRecord } from '../../../records/log.ts'
import { type Item, toItem, readText } from './table/item.ts'
import { journalKeys as keys, parsePaddedNumber } from './record-keys.ts'
import { createLruCache } from './lru-cache.ts'
import { recordAttributesOf, parseJsonAttribute, requireReadableItem } from './record-format.ts'
import { getItem, putItem, queryItems, type Table } from './table/table.ts'
import { isDecisionList, isRecordObject } from '../../records/record-layouts.ts'

/**
 * Creates the decision log in the journal. An append is one conditional put of one item. The
 * condition of a put cannot require that another item exists. An append therefore reads the
 * previous record first, unless this process has appended or read that record before. No record is
 * removed while a writer may append.
 */
export function createDecisionLog(journalTable: Table): DecisionLogPort {
  /** By deployment: the number of the last log record that this process wrote or read. */
  const lastNumbers = createLruCache<number>()
  const rememberRecord = (deployment: DeploymentId, number: number): void => {
    if (number > (lastNumbers.get(deployment) ?? -1)) lastNumbers.set(deployment, number)
  }
  const hasRecord = async (deployment: DeploymentId, number: number): Promise<boolean> => {
    if (number < 0 || number <= (lastNumbers.get(deployment) ?? -1)) return true
    const previousItem = await getItem(journalTable, keys.log(deployment, number))
    if (previousItem === undefined) return false
    rememberRecord(deployment, number)
    return true
  }
  return {
    append: async (deployment, record) => {
      const { number } = record
      if (!(await hasRecord(deployment, number - 1))) return 'refused'
      const writeResult = await putItem(journalTable, {
        key: keys.log(deployment, number),
        item: {
          ...recordAttributesOf('log', journalTable),
          ...toItem({ record: JSON.stringify(record) }),
        },
        ifAbsent: true,
      })
      if (writeResult.isDone || writeResult.existing !== undefined)
        rememberRecord(deployment, number)
      if (writeResult.isDone) return 'appended'
      const { existing } = writeResult
      if (existing === undefined) return 'refused'
      return isSameRecord(parseLogRecord(deployment, number, existing), record)
        ? 'already-appended'
        : 'refused'
    },
    read: async (deployment, fromNumber, limit) => {
      const { pk, sk } = keys.log(deployment, fromNumber)
      const items = await queryItems(journalTable, { pk, atLeast: sk, limit })
      const records = items.map(item =>
        parseLogRecord(deployment, parsePaddedNumber(readText(item, 'sk')), item),
      )
      const lastRecord = records.at(-1)
      if (lastRecord !== undefined) rememberRecord(deployment, lastRecord.number)
      return records
    },
  }
}

/**
 * Compares two records as values. Their texts may differ, because undefined fields are not stored
 * and fields have no order.
 */
function isSameRecord(existing: LogRecord, appended: LogRecord): boolean {
  return isDeepStrictEqual(existing, JSON.parse(JSON.stringify(appended)))
}

function parseLogRecord(deployment: DeploymentId, number: number, item: Item): LogRecord {
  const keys = { deployment, number }
  requireReadableItem('log', keys, item)
  return parseJsonAttribute({ kind: 'log', keys }, item, 'record', createRecordCheck(number))
}

function createRecordCheck(number: number): (value: unknown) => value is LogRecord {
  return (value): value is LogRecord =>
    isRecordObject(value) && value['number'] === number && isDecisionList(value['decisions'])
}

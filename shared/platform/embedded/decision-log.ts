import type { DecisionLogPort } from '../../ports/records.ts'
import type { LogRecord } from '../../records/log.ts'
import type { StoreCall } from './store/methods/store-methods.ts'
import { isDecisionList, isRecordObject, parseRecordJson } from '../records/record-layouts.ts'

/** Creates the decision log over the embedded store. */
export function createDecisionLog(call: StoreCall): DecisionLogPort {
  return {
    append: (deployment, record) =>
      call('log.append', {
        deployment,
        number: record.number,
        writer: record.writer,
        record: JSON.stringify(record),
      }),
    read: async (deployment, fromNumber, limit) => {
      const records: LogRecord[] = []
      let hasMore = true
      while (hasMore && records.length < limit) {
        const page = await call('log.read', {
          deployment,
          from: fromNumber + records.length,
          limit: limit - records.length,
        })
        const pageStart = fromNumber + records.length
        const recordKeysOf = (index: number) => ({ deployment, number: pageStart + index })
        records.push(...page.texts.map((text, index) => parseLogRecord(recordKeysOf(index), text)))
        hasMore = page.more
      }
      return records
    },
  }
}

function parseLogRecord(
  keys: { readonly deployment: string; readonly number: number },
  text: string,
): LogRecord {
  return parseRecordJson({ kind: 'log', keys }, text, (value): value is LogRecord =>
    isRecordFrom(keys.number, value),
  )
}

/**
 * Reports whether a value is a log record with this number or a higher one. After a removal of
 * earlier records, the first record has a higher number than requested.
 */
function isRecordFrom(number: number, value: unknown): boolean {
  if (!isRecordObject(value)) return false
  const { number: foundNumber, decisions } = value
  return typeof foundNumber === 'number' && foundNumber >= number && isDecisionList(decisions)
}

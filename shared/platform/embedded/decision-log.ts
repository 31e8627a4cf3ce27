import type { DecisionLogPort } from '../../ports/records.ts'
import type { LogRecord } from '../../records/log.ts'
import type { StoreCall } from './store/methods/store-methods.ts'
import { parseRecordJson } from '../records/record-forms.ts'

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
    read: async (deployment, from, limit) => {
      const records: LogRecord[] = []
      let more = true
      while (more && records.length < limit) {
        const page = await call('log.read', {
          deployment,
          from: from + records.length,
          limit: limit - records.length,
        })
        const first = from + records.length
        const recordKeysOf = (at: number) => ({ deployment, number: first + at })
        records.push(...page.texts.map((text, at) => parseLogRecord(recordKeysOf(at), text)))
        more = page.more
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

/** Earlier records may have been removed, so the first one may have a higher number. */
function isRecordFrom(number: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { number: found } = value as { readonly number?: unknown }
  return typeof found === 'number' && found >= number && 'decisions' in value
}

import type { DecisionLogPort } from '../../ports/records.ts'
import type { LogRecord } from '../../records/log.ts'
import type { StoreCall } from './store/methods.ts'

/** The decision log over the embedded store. */
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
        records.push(...page.texts.map(parseRecord))
        more = page.more
      }
      return records
    },
  }
}

function parseRecord(text: string): LogRecord {
  return JSON.parse(text) as LogRecord
}

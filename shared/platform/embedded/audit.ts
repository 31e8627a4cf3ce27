import type { AuditEntry, AuditPort } from '../../ports/audit.ts'
import { parseRecordJson } from '../records/record-layouts.ts'
import type { StoreCall } from './store/methods/store-methods.ts'

/**
 * Creates the audit log over the embedded store. Reading throws RECORD_DAMAGED and RECORD_TOO_NEW.
 */
export function createAudit(call: StoreCall): AuditPort {
  return {
    append: async entry =>
      void (await call('audit.append', { id: entry.id, entry: JSON.stringify(entry) })),
    has: id => call('audit.has', { id }),
    read: async (beforePosition, limit) =>
      (await call('audit.read', { before: beforePosition, limit })).map(({ position, entry }) => {
        const record = { kind: 'audit', keys: { position } } as const
        return { ...parseRecordJson(record, entry, isEntry), position }
      }),
  }
}

function isEntry(value: unknown): value is AuditEntry {
  return typeof value === 'object' && value !== null && 'who' in value && 'what' in value
}

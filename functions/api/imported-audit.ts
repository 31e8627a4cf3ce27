import { createHash } from 'node:crypto'
import * as z from 'zod'
import { apiLimits } from '../../shared/config/api-limits.ts'
import type { AuditEntry } from '../../shared/ports/audit.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import { toPrintable } from '../../shared/triggers/printable.ts'

/** The time of the last date that JavaScript can show. A list of dates fails for a later time. */
const lastDateMs = 8_640_000_000_000_000

const text = z.string().max(apiLimits.auditTextCharsMax)

/** The form of the name or address of the installation that wrote exported entries. */
export const auditSourceForm = z.string().min(1).max(apiLimits.auditSourceCharsMax)

/** An entry of the audit log as an export has it; see `AuditEntry`. */
export const exportedAuditForm = z.object({
  id: text.min(1),
  at: z
    .int()
    .min(0)
    .max(lastDateMs)
    .transform(ms => ms as EpochMs),
  who: text,
  from: text,
  what: text,
  kind: z.enum(['asked', 'answered']),
  request: text,
  status: z.int().min(100).max(599).optional(),
  importedFrom: text.optional(),
})

type ExportedAudit = z.infer<typeof exportedAuditForm>

/**
 * Returns the id of an imported entry. The target is the installation that imports the entry. The
 * id differs from the ids of all requests of the target, and of all entries of other sources.
 */
export function importedAuditIdOf(source: string, id: string): string {
  return `imported ${createHash('sha256')
    .update(JSON.stringify([source, id]))
    .digest('hex')}`
}

/**
 * Returns an exported entry as the target stores it. An entry that the source had imported itself
 * names both sources.
 */
export function toImportedAudit(source: string, exported: ExportedAudit): AuditEntry {
  const { id, at, kind, status, importedFrom } = exported
  const label = importedFrom === undefined ? source : `${importedFrom} via ${source}`
  return {
    id: importedAuditIdOf(source, id),
    at,
    who: toPrintable(exported.who, apiLimits.auditTextCharsMax),
    from: toPrintable(exported.from, apiLimits.auditTextCharsMax),
    what: toPrintable(exported.what, apiLimits.auditTextCharsMax),
    kind,
    request: toPrintable(exported.request, apiLimits.auditTextCharsMax),
    ...(status === undefined ? {} : { status }),
    importedFrom: toPrintable(label, apiLimits.auditSourceCharsMax),
  }
}

import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import { exportedAuditForm } from '../../functions/api/imported-audit.ts'
import { apiLimits } from '../../shared/config/api-limits.ts'
import { hasCode } from '../../shared/errors/error.ts'
import { toPrintable } from '../../shared/triggers/printable.ts'
import { parseJson } from '../../shared/values/parse-json.ts'
import type { CliSession } from '../session/session.ts'
import { createInvalidError, type ExportManifest } from './manifest.ts'

/** The file with the audit log, newest entry first. */
export const auditFile = 'audit.jsonl'

/** Maximum number of entries in a page. Even a slow server appends so many during one call. */
const pageEntriesMax = 25
/** Maximum size of the entries in a page. The request has other fields besides the entries. */
const pageBytesMax = apiLimits.bodyBytesMax / 2

type ExportedAuditEntry = z.input<typeof exportedAuditForm>
/** Entries in the order of their appends. */
type AuditPage = readonly ExportedAuditEntry[]

/** The part of an exported audit log that an import appends to the log of the target. */
export interface PlannedAudit {
  readonly source: string
  /** The entries, newest first. */
  readonly entries: readonly ExportedAuditEntry[]
  /** The number of entries that the import omits: the oldest ones. */
  readonly omitted: number
  /** Whether the import appends nothing: the target has the newest entry, or imports no log. */
  readonly isImported: boolean
}

/**
 * Reads the audit log of an export, and asks the target whether it has the newest entry. Returns
 * undefined for an empty log. Throws EXPORT_INVALID and the errors of the API.
 */
export async function planAudit(
  session: CliSession,
  root: string,
  manifest: Pick<ExportManifest, 'source' | 'createdAt'>,
): Promise<PlannedAudit | undefined> {
  const entries: ExportedAuditEntry[] = []
  let count = 0
  for await (const line of readLines(join(root, auditFile))) {
    count += 1
    if (count > apiLimits.auditImportEntriesMax) continue
    const entry = exportedAuditForm.safeParse(parseJson(line))
    if (!entry.success) {
      const field = entry.error.issues[0]?.path.join('.') ?? ''
      throw createInvalidError(`${auditFile} has an unknown entry in line ${count}: ${field}`)
    }
    // The form has no other fields, so no entry is larger than a request.
    entries.push(entry.data)
  }
  const [newest] = entries
  if (newest === undefined) return undefined
  const source = manifest.source ?? `the export of ${toPrintable(manifest.createdAt, 100)}`
  const isImported = await readIsImported(session, source, newest.id)
  return isImported === undefined
    ? { source, entries: [], omitted: count, isImported: true }
    : { source, entries, omitted: count - entries.length, isImported }
}

async function* readLines(path: string): AsyncGenerator<string> {
  if (!existsSync(path)) return
  const input = createReadStream(path)
  for await (const line of createInterface({ input, crlfDelay: Infinity }))
    if (line !== '') yield line
}

/**
 * Returns whether the target has imported the entry `id` of the log of `source`. Returns undefined
 * for an API of an older version, which imports no audit log.
 */
async function readIsImported(
  session: CliSession,
  source: string,
  id: string,
): Promise<boolean | undefined> {
  const { callApi } = await session.openEngine()
  const query = new URLSearchParams({ source, entry: id }).toString()
  try {
    const response = await callApi({ method: 'GET', path: `/v1/audit/imported?${query}` })
    return z.object({ isImported: z.boolean() }).parse(response).isImported
  } catch (thrown) {
    if (hasCode(thrown, 'API_ROUTE_UNKNOWN')) return undefined
    throw thrown
  }
}

/**
 * Appends the entries to the audit log of the target, oldest first, and reports their number. The
 * target keeps entries that it has, so a repetition continues an interrupted import. The log of
 * the target also gets an entry for each request. To save such entries, the function does not send
 * the pages that an earlier import appended.
 */
export async function importAudit(
  session: CliSession,
  { source, entries }: PlannedAudit,
): Promise<void> {
  const { callApi } = await session.openEngine()
  const [newest] = entries
  const hash = createHash('sha256').update(JSON.stringify([source, newest?.id]))
  const path = `/v1/audit/imports/${hash.digest('hex').slice(0, 16)}`
  const pages = [...cutPages(entries.toReversed())]
  for (const page of await listMissingPages(session, source, pages))
    await callApi({ method: 'PUT', path, body: { source, entries: page } })
  const countText = formatEntries(entries.length)
  session.printToStderr(`The audit log has ${countText} of ${toPrintable(source, 500)}.`)
}

/**
 * Returns the pages after the last one that the target has, found by a binary search. An import
 * appends in order, so no page before an imported one is missing. The target removes old entries,
 * so the result may begin with pages that an earlier import appended.
 */
async function listMissingPages(
  session: CliSession,
  source: string,
  pages: readonly AuditPage[],
): Promise<readonly AuditPage[]> {
  let presentCount = 0
  // The target lacks the newest entry, so it lacks the last page.
  let missingIndex = pages.length - 1
  while (presentCount < missingIndex) {
    const middleIndex = Math.floor((presentCount + missingIndex) / 2)
    const newest = pages[middleIndex]?.at(-1)
    const isPresent =
      newest !== undefined && (await readIsImported(session, source, newest.id)) === true
    if (isPresent) presentCount = middleIndex + 1
    else missingIndex = middleIndex
  }
  return pages.slice(presentCount)
}

/** Cuts entries into pages, each of which is small enough for one request. */
function* cutPages(entries: AuditPage): Generator<AuditPage> {
  let page: ExportedAuditEntry[] = []
  let bytes = 0
  for (const entry of entries) {
    const size = Buffer.byteLength(JSON.stringify(entry))
    const isFull = page.length === pageEntriesMax || bytes + size > pageBytesMax
    if (isFull && page.length > 0) {
      yield page
      page = []
      bytes = 0
    }
    page.push(entry)
    bytes += size
  }
  if (page.length > 0) yield page
}

/** Describes an audit log for the plan of an import. Undefined if nothing changes. */
export function describeAudit(audit: PlannedAudit | undefined): string | undefined {
  if (audit === undefined || audit.isImported) return undefined
  const countText = formatEntries(audit.entries.length)
  return `audit log: ${countText} of ${audit.source}, marked as imported`
}

/** Returns the line about the entries that an import omits, if there are any. */
export function describeOmittedAudit(audit: PlannedAudit | undefined): readonly string[] {
  if (audit === undefined || audit.omitted === 0) return []
  const countText = formatEntries(audit.omitted)
  if (audit.entries.length === 0)
    return [
      `audit log: the API has an older version, which imports no audit log; ${countText} stay in ${auditFile}`,
    ]
  return [`audit log: the oldest ${countText} stay in ${auditFile} of the export`]
}

const formatEntries = (count: number): string => (count === 1 ? '1 entry' : `${count} entries`)

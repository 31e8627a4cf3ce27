import * as z from 'zod'
import { apiLimits } from '../../shared/config/api-limits.ts'
import { toPrintable } from '../../shared/triggers/printable.ts'
import type { Handler } from '../arguments/handler.ts'
import { parseCount } from '../arguments/parse-count.ts'
import { formatTable } from '../display/table.ts'
import { createApiPageForm, readApiPages } from '../remote/api-pages.ts'
import type { CliSession } from '../session/session.ts'

const entryForm = z.looseObject({
  at: z.number(),
  /** The actor: a token, by its name. */
  who: z.string(),
  /** The address of the client. */
  from: z.string(),
  /** The request: its method and path. */
  what: z.string(),
  /** `asked`: the entry before a change. `answered`: the entry after it, with `status`. */
  kind: z.string(),
  status: z.number().optional(),
  /** The installation that wrote an imported entry. */
  importedFrom: z.string().optional(),
})
type Entry = z.infer<typeof entryForm>

const pageForm = createApiPageForm(entryForm)

/** The number of entries that are listed without --limit. */
const entriesDefault = 100

/** Maximum number of printed characters of a request. */
const requestCharsMax = 300

/** `audit ls`: lists the newest entries of the audit log, newest first. Throws CLI_USAGE. */
export const listAudit: Handler = async (session, flags) => {
  const entries = await readEntries(session, parseCount(flags, 'limit') ?? entriesDefault)
  if (flags.isSet('json')) {
    session.print(JSON.stringify(entries, null, 2))
    return 0
  }
  const rows = entries.map(({ at, who, from, what, status, importedFrom }) => [
    new Date(at).toISOString(),
    toPrintable(who),
    toPrintable(what, requestCharsMax),
    status === undefined ? 'requested' : String(status),
    toPrintable(from),
    importedFrom === undefined ? '' : toPrintable(importedFrom, apiLimits.auditSourceCharsMax),
  ])
  const header = ['TIME', 'WHO', 'REQUEST', 'STATUS', 'ADDRESS', 'IMPORTED FROM']
  for (const line of formatTable(header, rows)) session.print(line)
  return 0
}

/** Returns the newest entries, at most `entriesMax`. Throws API_ANSWER_UNKNOWN. */
async function readEntries(session: CliSession, entriesMax: number): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  if (entriesMax < 1) return entries
  const { callApi } = await session.openEngine()
  const pages = readApiPages(async cursor => {
    const limit = Math.min(apiLimits.pageResultsMax, entriesMax - entries.length)
    const query = `limit=${limit}&cursor=${encodeURIComponent(cursor)}`
    return pageForm.parse(await callApi({ method: 'GET', path: `/v1/audit?${query}` }))
  })
  for await (const page of pages) {
    entries.push(...page.items)
    if (entries.length >= entriesMax) break
  }
  return entries
}

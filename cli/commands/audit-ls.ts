import * as z from 'zod'
import { apiLimits } from '../../shared/config/api-limits.ts'
import { toPrintable } from '../../shared/triggers/printable.ts'
import type { Handler } from '../arguments/handler.ts'
import { parseCount } from '../arguments/parse-count.ts'
import { formatTable } from '../display/table.ts'

const entryForm = z.looseObject({
  at: z.number(),
  who: z.string(),
  from: z.string(),
  what: z.string(),
  kind: z.string(),
  status: z.number().optional(),
  importedFrom: z.string().optional(),
})
type Entry = z.infer<typeof entryForm>

const pageForm = z.object({ items: z.array(entryForm), next: z.string().optional() })

/** The number of entries that are listed without --limit. */
const entriesDefault = 100

/** Maximum number of printed characters of a request. */
const requestCharsMax = 300

/** `audit ls`: lists the newest entries of the audit log, newest first. Throws CLI_USAGE. */
export const listAudit: Handler = async (session, flags) => {
  const { callApi } = await session.openEngine()
  const entriesMax = parseCount(flags, 'limit') ?? entriesDefault
  const entries: Entry[] = []
  let cursor: string | undefined = ''
  while (cursor !== undefined && entries.length < entriesMax) {
    const limit = Math.min(apiLimits.pageResultsMax, entriesMax - entries.length)
    const page: z.infer<typeof pageForm> = pageForm.parse(
      await callApi({
        method: 'GET',
        path: `/v1/audit?limit=${limit}&cursor=${encodeURIComponent(cursor)}`,
      }),
    )
    entries.push(...page.items)
    // A server that sends empty pages would never end the list.
    cursor = page.items.length === 0 ? undefined : page.next
  }
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

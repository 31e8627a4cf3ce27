import * as z from 'zod'
import { createError } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import { parseCount } from '../arguments/parse-count.ts'
import { formatTable } from '../display/table.ts'
import { createApiPageForm, readApiPages } from '../remote/api-pages.ts'
import { stackPathOf } from '../remote/stack-path.ts'
import type { CliSession } from '../session/session.ts'

const updateForm = z.looseObject({
  resourceChanges: z.record(z.string(), z.number()).optional(),
  status: z.string(),
})
const runForm = z.looseObject({
  id: z.string(),
  created: z.string(),
  status: z.string(),
  driftDetected: z.boolean(),
  detectUpdate: updateForm.optional(),
  remediateUpdate: updateForm.optional(),
})
const runsPageForm = createApiPageForm(runForm).extend({ total: z.number() })
const statusForm = z.object({
  driftDetected: z.boolean(),
  latestDriftRun: z.string(),
  runInProgress: z.boolean(),
})

const countDefault = 10

/** `stack drift list`: lists the runs that looked for drift, newest first. */
export const listDriftRunsOfStack: Handler = async (session, flags) => {
  const { driftRuns, total } = await readRuns(session, readLimit(flags))
  if (isJsonOutput(flags)) {
    session.print(JSON.stringify({ driftRuns, count: driftRuns.length, total }, null, 2))
    return 0
  }
  if (driftRuns.length === 0) {
    session.print('No run has looked for drift in this stack yet.')
    return 0
  }
  const header = ['ID', 'CREATED', 'STATUS', 'DRIFT', 'DETECT', 'REMEDIATE']
  const rows = driftRuns.map(run => [
    ...[run.id, run.created, run.status, run.driftDetected ? 'yes' : 'no'],
    ...[updateTextOf(run.detectUpdate), updateTextOf(run.remediateUpdate)],
  ])
  for (const line of formatTable(header, rows)) session.print(line)
  session.print(`\nShowing ${driftRuns.length} of ${total} runs`)
  return 0
}

/** `stack drift status`: shows whether the latest run found drift. */
export const showDriftStatus: Handler = async (session, flags) => {
  const path = `${stackPathOf(await session.requireStack())}/drift/status`
  const { callApi } = await session.openEngine()
  const status = statusForm.parse(await callApi({ method: 'GET', path }))
  if (isJsonOutput(flags)) {
    session.print(JSON.stringify(status, null, 2))
    return 0
  }
  const { driftDetected, latestDriftRun, runInProgress } = status
  const unknownText = 'unknown (no run has looked for drift yet)'
  const driftText = latestDriftRun === '' ? unknownText : driftDetected ? 'yes' : 'no'
  session.print(`Drift detected:    ${driftText}`)
  if (latestDriftRun !== '') session.print(`Latest drift run:  ${latestDriftRun}`)
  session.print(`Run in progress:   ${runInProgress ? 'yes' : 'no'}`)
  return 0
}

/** Returns the maximum number of runs to list. Throws CLI_USAGE. */
function readLimit(flags: Flags): number {
  const count = parseCount(flags, 'count')
  if (!flags.isSet('all')) return count === undefined || count === 0 ? countDefault : count
  if (count !== undefined)
    throw createError('CLI_USAGE', '--all and --count cannot be used together')
  return Number.POSITIVE_INFINITY
}

/** Returns the newest runs, at most `limit`, and the number of all runs. */
async function readRuns(
  session: CliSession,
  limit: number,
): Promise<{ readonly driftRuns: readonly z.infer<typeof runForm>[]; readonly total: number }> {
  const path = `${stackPathOf(await session.requireStack())}/drift/runs`
  const { callApi } = await session.openEngine()
  const driftRuns: z.infer<typeof runForm>[] = []
  const pages = readApiPages(async cursor => {
    const query = `limit=100&cursor=${encodeURIComponent(cursor)}`
    return runsPageForm.parse(await callApi({ method: 'GET', path: `${path}?${query}` }))
  })
  let total = 0
  for await (const page of pages) {
    driftRuns.push(...page.items)
    total = page.total
    if (driftRuns.length >= limit) break
  }
  return { driftRuns: driftRuns.slice(0, limit), total }
}

function updateTextOf(update: z.infer<typeof updateForm> | undefined): string {
  if (update === undefined) return '-'
  const changes = Object.entries(update.resourceChanges ?? {})
    .filter(([op, count]) => op !== 'same' && count > 0)
    .map(([op, count]) => `${count} ${op}`)
  return changes.length === 0 ? update.status : `${update.status} (${changes.join(', ')})`
}

import * as z from 'zod'
import {
  createEventFilter,
  eventKindCodes,
  type EventSelection,
} from '../../shared/engine/events/event-filter.ts'
import { createError } from '../../shared/errors/error.ts'
import { deploymentPartsOf, type StackId } from '../../shared/records/ids.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import type { Handler } from '../arguments/handler.ts'
import { describeEvent } from '../display/describe-event.ts'
import { formatSummary, summarizeEvents } from '../display/operation-summary.ts'
import { formatTable } from '../display/table.ts'
import { stackPathOf } from '../remote/stack-path.ts'
import type { CliSession } from '../session/session.ts'

/** The argument that names the newest deployment. */
const latestName = 'latest'
/** Number of events in one page. */
const eventsPerPage = 100

const pageForm = z.object({
  items: z.array(z.record(z.string(), z.unknown())),
  next: z.string(),
  hasMore: z.boolean(),
})

type StoredEvent = z.infer<typeof pageForm>['items'][number]

/**
 * `stack history events <number>`: prints the engine events of a deployment, or with --summary
 * their summary. `latest` names the newest deployment. Without --all, --count or --summary it
 * prints the selected events of the first page that has any. A page has 100 events. Throws
 * DEPLOYMENT_UNKNOWN.
 */
export const showDeploymentEvents: Handler = async (session, flags, [name = '']) => {
  if (name !== latestName && !/^[1-9]\d{0,14}$/.test(name))
    throw createError('CLI_USAGE', `'${name}' is not the number of a deployment`, {
      hint: `Pass ${latestName}, or one of the numbers of \`antichain stack history\`.`,
    })
  const countText = flags.text('count')
  if (countText !== undefined && !/^[1-9]\d{0,8}$/.test(countText))
    throw createError('CLI_USAGE', `--count must be a positive number, not '${countText}'`)
  if (countText !== undefined && flags.isSet('all'))
    throw createError('CLI_USAGE', '--count and --all exclude each other')
  const isSummary = flags.isSet('summary')
  const countMin = flags.isSet('all') || isSummary ? Infinity : Number(countText ?? 1)
  const codes = flags.list('eventType')
  for (const code of codes) checkKindCode(code)
  const selection = { codes, urn: flags.text('urn') }
  const stack = await session.requireStack()
  const number = name === latestName ? await findLatestNumber(session, stack) : name
  const events = await readEvents(session, { stack, number, countMin, selection })
  if (isSummary) {
    const summary = summarizeEvents(events)
    const lines = isJsonOutput(flags) ? [JSON.stringify(summary)] : formatSummary(summary)
    for (const line of lines) session.print(line)
    return 0
  }
  if (isJsonOutput(flags)) {
    session.print(JSON.stringify(events, null, 2))
    return 0
  }
  if (events.length === 0) {
    session.print('No events found for this deployment.')
    return 0
  }
  const rows = events.map(event => describeEvent(event)).map(({ kind, details }) => [kind, details])
  for (const line of formatTable(['TYPE', 'DETAILS'], rows)) session.print(line)
  session.print(`\n${events.length} event(s)`)
  return 0
}

/** Returns the number of the newest deployment of a stack. Throws DEPLOYMENT_UNKNOWN. */
async function findLatestNumber(session: CliSession, stack: StackId): Promise<string> {
  const { platform } = await session.openEngine()
  const [newest] = await platform.catalog.listHistory(stack, 1)
  if (newest === undefined) throw createError('DEPLOYMENT_UNKNOWN', 'the stack was never deployed')
  return String(deploymentPartsOf(newest.deployment).number)
}

/** Throws CLI_USAGE for a text that is not the code of an event kind. */
function checkKindCode(code: string): void {
  if (eventKindCodes.has(code)) return
  const names = [...eventKindCodes].map(([known, name]) => `${known} ${name}`)
  throw createError('CLI_USAGE', `'${code}' is not the code of an event kind`, {
    hint: `The codes are: ${names.join(', ')}.`,
  })
}

/** Reads pages until they have `countMin` events of a selection, or until the last page. */
async function readEvents(
  session: CliSession,
  request: {
    readonly stack: StackId
    readonly number: string
    readonly countMin: number
    readonly selection: EventSelection
  },
): Promise<readonly StoredEvent[]> {
  const isSelected = createEventFilter(request.selection)
  const { callApi } = await session.openEngine()
  const base = `${stackPathOf(request.stack)}/deployments/${request.number}/events`
  const events: StoredEvent[] = []
  let cursor = ''
  do {
    const query = `limit=${eventsPerPage}${cursor === '' ? '' : `&cursor=${cursor}`}`
    const page = pageForm.parse(await callApi({ method: 'GET', path: `${base}?${query}` }))
    events.push(...page.items.filter(isSelected))
    if (!page.hasMore) break
    cursor = page.next
  } while (events.length < request.countMin)
  return events
}

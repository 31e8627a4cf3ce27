import * as z from 'zod'
import { createError } from '../../shared/errors/error.ts'
import type { EpochMs, StackId } from '../../shared/records/ids.ts'
import { scheduleDocument } from '../../shared/triggers/schedules/due-schedule.ts'
import {
  type ScheduleSummary,
  kindOfSchedule,
  summarizeSchedule,
} from '../../shared/triggers/schedules/pulumi-schedule.ts'
import { createDocumentName } from '../stack/create-document-name.ts'
import type { Handler } from '../arguments/handler.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import { parseCount } from '../arguments/parse-count.ts'
import { warnUnservedBackend } from '../backends/warn-unserved-backend.ts'
import { formatTable } from '../display/table.ts'
import { listAllItems } from '../remote/api-pages.ts'
import { settingsOfSchedule } from '../remote/schedule-settings.ts'
import { stackPathOf } from '../remote/stack-path.ts'
import { type CliSession, confirm } from '../session/session.ts'
import { readScheduleChange, readScheduleRequest } from '../stack/schedule-flags.ts'

/** A schedule as the API returns it: without the earlier runs, but with the last one. */
const scheduleView = z
  .object({
    name: z.string(),
    value: z.looseObject({ lastRunAt: z.number().optional() }),
  })
  .transform(({ name, value: { lastRunAt, ...value } }) => ({
    name,
    value: scheduleDocument.parse({
      ...value,
      ...(lastRunAt === undefined ? {} : { recentRuns: [lastRunAt] }),
    }),
  }))

type NamedSchedule = z.infer<typeof scheduleView>

/** `stack schedule list`: lists the schedules of a stack as Pulumi's command line does. */
export const listStackSchedules: Handler = async (session, flags) => {
  const id = await session.requireStack()
  const engine = await session.openEngine()
  const allSchedules = await listAllItems(engine, `${stackPathOf(id)}/schedules`, scheduleView)
  const count = parseCount(flags, 'count') ?? 0
  const schedules = allSchedules
    .slice(0, count === 0 ? allSchedules.length : count)
    .map(schedule => summaryOf(id, schedule))
  if (isJsonOutput(flags)) session.print(JSON.stringify({ schedules }, null, 2))
  else if (schedules.length === 0) session.print('No schedules are configured for this stack.')
  else printSchedules(session, schedules)
  return 0
}

/** `stack schedule get <id>`: shows one schedule. */
export const showStackSchedule: Handler = async (session, flags, [name = '']) => {
  const id = await session.requireStack()
  return printSchedule(session, isJsonOutput(flags), {
    ...(await readSchedule(session, id, name)),
    id,
  })
}

/** `stack schedule new`: creates a schedule with a generated name. */
export const createStackSchedule: Handler = async (session, flags) => {
  const request = await readScheduleRequest(session, flags)
  const id = await session.requireStack()
  const name = createDocumentName('pulumi-', 6)
  await putSchedule(session, { id, name }, request)
  warnUnservedBackend(session, 'schedule')
  const createdSchedule = await readSchedule(session, id, name)
  return printSchedule(session, isJsonOutput(flags), { ...createdSchedule, id })
}

/** `stack schedule edit <id>`: changes the settings that the options name. */
export const editStackSchedule: Handler = async (session, flags, [name = '']) => {
  const id = await session.requireStack()
  const { value } = await readSchedule(session, id, name)
  const change = readScheduleChange(flags, kindOfSchedule(value), value)
  await putSchedule(session, { id, name }, { ...settingsOfSchedule(value), ...change })
  const changedSchedule = await readSchedule(session, id, name)
  return printSchedule(session, isJsonOutput(flags), { ...changedSchedule, id })
}

/** `stack schedule remove <id>`: removes a schedule after a confirmation. */
export const removeStackSchedule: Handler = async (session, flags, [name = '']) => {
  const id = await session.requireStack()
  const question = { text: `This removes the schedule '${name}'.`, answer: 'remove' }
  if (!(await confirm(session, flags.isSet('yes'), question)))
    throw createError('CONFIRMATION_DECLINED', 'nothing was changed')
  const { callApi } = await session.openEngine()
  await callApi({ method: 'DELETE', path: schedulePathOf(id, name) })
  session.print(`Removed schedule '${name}'.`)
  return 0
}

function schedulePathOf(id: StackId, name: string): string {
  return `${stackPathOf(id)}/schedules/${encodeURIComponent(name)}`
}

async function readSchedule(
  session: CliSession,
  id: StackId,
  name: string,
): Promise<NamedSchedule> {
  const { callApi } = await session.openEngine()
  return scheduleView.parse(await callApi({ method: 'GET', path: schedulePathOf(id, name) }))
}

async function putSchedule(
  session: CliSession,
  { id, name }: { readonly id: StackId; readonly name: string },
  body: object,
): Promise<void> {
  const { callApi } = await session.openEngine()
  await callApi({ method: 'PUT', path: schedulePathOf(id, name), body })
}

function summaryOf(id: StackId, { name, value }: NamedSchedule): ScheduleSummary {
  const key = { kind: 'schedule', scope: id, name } as const
  return summarizeSchedule(key, value, Date.now() as EpochMs)
}

function printSchedule(
  session: CliSession,
  isJson: boolean,
  { id, ...schedule }: NamedSchedule & { readonly id: StackId },
): number {
  const summary = summaryOf(id, schedule)
  if (isJson) {
    session.print(JSON.stringify(summary, null, 2))
    return 0
  }
  const rows = [
    ['ID:', summary.id],
    ['Type:', summary.type],
    ['Settings:', summary.settings],
    ['Schedule:', summary.schedule],
    ['Next run:', summary.nextRun ?? ''],
    ['Last run:', summary.lastRun ?? '(never)'],
    ['Created:', summary.created],
  ] as const
  for (const [label, value] of rows) session.print(`${label.padEnd(10)} ${value}`.trimEnd())
  return 0
}

function printSchedules(session: CliSession, schedules: readonly ScheduleSummary[]): void {
  const header = ['ID', 'TYPE', 'SETTINGS', 'SCHEDULE', 'NEXT RUN', 'LAST RUN', 'CREATED']
  const rows = schedules.map(({ id, type, settings, schedule, nextRun, lastRun, created }) => [
    ...[id, type, settings, schedule],
    ...[nextRun ?? '', lastRun ?? '', created],
  ])
  for (const line of formatTable(header, rows)) session.print(line)
}

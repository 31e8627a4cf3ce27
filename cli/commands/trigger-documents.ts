import { z } from 'zod'
import { listAllItems } from '../remote/api-pages.ts'
import { type EpochMs, stackIdOf } from '../../shared/records/ids.ts'
import { evaluateSchedule, scheduleDocument } from '../../shared/triggers/schedules/schedule.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import { formatTable } from '../display/table.ts'
import { type TriggerKind, resolveTriggerPath } from '../remote/trigger-path.ts'

const documentForm = z.object({
  name: z.string(),
  stack: z.string(),
  version: z.number(),
  value: z.looseObject({ isPaused: z.boolean() }),
})

type TriggerDocument = z.infer<typeof documentForm>

/** Describes a document in one line. */
const describeTrigger: Readonly<
  Record<TriggerKind, (value: Readonly<Record<string, unknown>>) => string>
> = {
  webhook: ({ form, rules }) => {
    const count = Array.isArray(rules) ? rules.length : 0
    return `${String(form)}, ${count} ${count === 1 ? 'rule' : 'rules'}`
  },
  schedule: ({ when, zone, operation }) =>
    `${operationKindOf(operation)} at ${String(when)} (${String(zone)})`,
  notification: ({ url, events }) => `${String(events)} to ${String(url)}`,
}

/** Creates the commands `ls`, `show` and `rm` of a kind of document. */
export function createTriggerCommands(
  kind: TriggerKind,
): Readonly<Record<'ls' | 'show' | 'rm', Handler>> {
  return {
    ls: async (session, flags) => {
      const path = await resolveTriggerPath(session, flags, kind)
      const documents = await listAllItems(await session.openEngine(), path, documentForm)
      if (flags.isSet('json')) {
        session.print(JSON.stringify(documents, null, 2))
        return 0
      }
      const rows = documents.map(document => [
        document.name,
        kind === 'schedule' ? scheduleStatusOf(document, Date.now()) : pauseTextOf(document),
        describeTrigger[kind](document.value),
      ])
      for (const line of formatTable(['NAME', 'STATUS', 'DETAILS'], rows)) session.print(line)
      return 0
    },
    show: async (session, flags, [name = '']) => {
      const path = `${await resolveTriggerPath(session, flags, kind)}/${encodeURIComponent(name)}`
      const answer = documentForm.parse(
        await (await session.openEngine()).callApi({ method: 'GET', path }),
      )
      session.print(JSON.stringify(answer.value, null, 2))
      return 0
    },
    rm: async (session, flags, [name = '']) => {
      const path = `${await resolveTriggerPath(session, flags, kind)}/${encodeURIComponent(name)}`
      await (await session.openEngine()).callApi({ method: 'DELETE', path })
      session.printToStderr(`Removed ${kind} '${name}'.`)
      return 0
    },
  }
}

function pauseTextOf({ value }: TriggerDocument): string {
  return value.isPaused ? 'paused' : 'on'
}

/**
 * Returns the status of a schedule: `paused`, `on`, `due` or `over`. `due`: the one run of an
 * `at(…)` schedule waits for a process that serves. `over`: the schedule never runs again.
 */
export function scheduleStatusOf(document: TriggerDocument, now: number): string {
  const { data } = scheduleDocument.safeParse(document.value)
  if (data === undefined || data.isPaused || !data.when.trim().startsWith('at('))
    return pauseTextOf(document)
  const [project = '', stack = ''] = document.stack.split('/')
  const key = { kind: 'schedule', scope: stackIdOf(project, stack), name: document.name } as const
  const { kind } = evaluateSchedule(key, data, { now: now as EpochMs, isRunning: false })
  if (kind === 'over') return 'over'
  return kind === 'run' ? 'due' : 'on'
}

function operationKindOf(operation: unknown): string {
  const parsed = z.looseObject({ kind: z.string() }).safeParse(operation)
  return parsed.success ? parsed.data.kind : ''
}

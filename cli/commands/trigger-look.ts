import { z } from 'zod'
import { allItems } from '../api-pages.ts'
import { type EpochMs, stackIdOf } from '../../shared/records/ids.ts'
import { judgeSchedule, scheduleDocument } from '../../shared/triggers/schedule.ts'
import type { Handler } from '../attach.ts'
import { tableOf } from '../table.ts'
import { type TriggerKind, triggerPath } from '../trigger-path.ts'

const viewForm = z.object({
  name: z.string(),
  stack: z.string(),
  version: z.number(),
  value: z.looseObject({ isPaused: z.boolean() }),
})

type View = z.infer<typeof viewForm>

/** What a document says in one line. */
const saidOf: Readonly<Record<TriggerKind, (value: Readonly<Record<string, unknown>>) => string>> =
  {
    webhook: ({ form, rules }) => {
      const count = Array.isArray(rules) ? rules.length : 0
      return `${String(form)}, ${count} ${count === 1 ? 'rule' : 'rules'}`
    },
    schedule: ({ when, zone, operation }) =>
      `${kindOf(operation)} at ${String(when)} (${String(zone)})`,
    notification: ({ url, events }) => `${String(events)} to ${String(url)}`,
  }

/** `ls`, `show` and `rm` of a kind of document. */
export function triggerCommands(
  kind: TriggerKind,
): Readonly<Record<'ls' | 'show' | 'rm', Handler>> {
  return {
    ls: async (session, flags) => {
      const path = await triggerPath(session, flags, kind)
      const found = await allItems(await session.local(), path, viewForm)
      if (flags.is('json')) {
        session.print(JSON.stringify(found, null, 2))
        return 0
      }
      const rows = found.map(one => [
        one.name,
        kind === 'schedule' ? scheduleStateOf(one, Date.now()) : stateOf(one),
        saidOf[kind](one.value),
      ])
      for (const line of tableOf(['NAME', 'IS', 'WHAT'], rows)) session.print(line)
      return 0
    },
    show: async (session, flags, [name = '']) => {
      const path = `${await triggerPath(session, flags, kind)}/${encodeURIComponent(name)}`
      const said = viewForm.parse(await (await session.local()).api({ method: 'GET', path }))
      session.print(JSON.stringify(said.value, null, 2))
      return 0
    },
    rm: async (session, flags, [name = '']) => {
      const path = `${await triggerPath(session, flags, kind)}/${encodeURIComponent(name)}`
      await (await session.local()).api({ method: 'DELETE', path })
      session.warn(`The ${kind} '${name}' was removed.`)
      return 0
    },
  }
}

function stateOf({ value }: View): string {
  return value.isPaused ? 'paused' : 'on'
}

/** `due` is what happens once and waits for somebody who serves; `over` happens no more. */
export function scheduleStateOf(view: View, now: number): string {
  const { data } = scheduleDocument.safeParse(view.value)
  if (data === undefined || data.isPaused || !data.when.trim().startsWith('at('))
    return stateOf(view)
  const [project = '', stack = ''] = view.stack.split('/')
  const key = { kind: 'schedule', scope: stackIdOf(project, stack), name: view.name } as const
  const { kind } = judgeSchedule(key, data, { now: now as EpochMs, isRunning: false })
  if (kind === 'over') return 'over'
  return kind === 'run' ? 'due' : 'on'
}

function kindOf(operation: unknown): string {
  const found = z.looseObject({ kind: z.string() }).safeParse(operation)
  return found.success ? found.data.kind : ''
}

import * as z from 'zod'
import { type EpochMs, stackIdOf } from '../../shared/records/ids.ts'
import { evaluateSchedule, scheduleDocument } from '../../shared/triggers/schedules/due-schedule.ts'
import type { Handler } from '../arguments/handler.ts'
import { type TriggerDocumentKind, resolveTriggerPath } from '../remote/trigger-path.ts'
import {
  createDocumentCommands,
  type ListedDocument,
  enabledStatusOf,
} from './document-commands.ts'

/** The functions that describe a webhook, schedule or notification in one line, by kind. */
const describeTrigger: Readonly<
  Record<TriggerDocumentKind, (value: Readonly<Record<string, unknown>>) => string>
> = {
  webhook: ({ form, rules }) => {
    const count = Array.isArray(rules) ? rules.length : 0
    return `${String(form)}, ${count} ${count === 1 ? 'rule' : 'rules'}`
  },
  schedule: ({ when, zone, operation, removesStack }) => {
    const removal = removesStack === true ? ', then remove the stack' : ''
    return `${operationKindOf(operation)} at ${String(when)} (${String(zone)})${removal}`
  },
  notification: ({ url, events, format, displayName, filters, groups }) => {
    const name = typeof displayName === 'string' ? ` (${displayName})` : ''
    // Pulumi's clients set filters and groups. If present, these select the events.
    const filterNames = [filters, groups].flatMap(list =>
      Array.isArray(list) ? list.map(String) : [],
    )
    const eventNames = filterNames.length > 0 ? filterNames.join() : String(events)
    return `${eventNames} to ${String(url)}, ${String(format)}${name}`
  },
}

/** Creates the commands `ls`, `show` and `rm` of a kind of trigger. */
export function createTriggerCommands(
  kind: TriggerDocumentKind,
): Readonly<Record<'ls' | 'show' | 'rm', Handler>> {
  return createDocumentCommands({
    noun: kind,
    resolvePath: (session, flags) => resolveTriggerPath(session, flags, kind),
    statusOf: document =>
      kind === 'schedule' ? scheduleStatusOf(document, Date.now()) : enabledStatusOf(document),
    describe: describeTrigger[kind],
  })
}

/**
 * Returns the status of a schedule: `paused`, `on`, `due` or `over`. `due`: the one run of an
 * `at(…)` schedule waits for a process that runs schedules. `over`: it never runs again.
 */
export function scheduleStatusOf(document: ListedDocument, now: number): string {
  const { data } = scheduleDocument.safeParse(document.value)
  if (data === undefined || data.isPaused || !data.when.trim().startsWith('at('))
    return enabledStatusOf(document)
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

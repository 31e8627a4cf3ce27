import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { StoredResource } from '../../shared/state/stored.ts'
import type { Ran } from './engine.ts'

/** The steps that a run told of things of the scripted provider, as `update a`, in order. */
export function stepsOf({ events }: Pick<Ran, 'events'>): readonly string[] {
  return events.flatMap(event => {
    if (!('resourcePreEvent' in event)) return []
    const { op, urn, type } = event.resourcePreEvent.metadata
    return type.startsWith('test:') ? [`${op} ${urn.split('::').at(-1)}`] : []
  })
}

/** The errors, or other messages, that a run told. */
export function saidBy(
  { events }: Pick<Ran, 'events'>,
  severity: 'error' | 'warning' | 'info' = 'error',
): readonly string[] {
  const told = (event: EngineEventPayload): readonly string[] =>
    'diagnosticEvent' in event && event.diagnosticEvent.severity === severity
      ? [event.diagnosticEvent.message]
      : []
  return events.flatMap(told)
}

/** The states of a name, in order. */
export function statesOf({ state }: Pick<Ran, 'state'>, name: string): readonly StoredResource[] {
  return (state.resources ?? []).filter(({ urn }) => urn.endsWith(`::${name}`))
}

import type { EngineEventPayload } from '../../shared/engine/events/event.ts'

/** The steps that a run told of, as `update a`, but for those of the stack and of providers. */
export function resourceStepsOf(events: readonly EngineEventPayload[]): readonly string[] {
  return events.flatMap(event => {
    if (!('resourcePreEvent' in event) || event.resourcePreEvent === undefined) return []
    const { op, urn, type } = event.resourcePreEvent.metadata
    if (type.startsWith('pulumi:')) return []
    return [`${op} ${urn.split('::').at(-1)}`]
  })
}

/** The property by which the cloud of tests knows that a thing is to be replaced. */
export const withReplace = (replace: number): Record<string, unknown> => ({ replace })

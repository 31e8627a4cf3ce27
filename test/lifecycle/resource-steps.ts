import type { EngineEventPayload } from '../../shared/engine/events/event.ts'

/**
 * Returns the reported steps of a run as `update a`, without those of the stack and of providers.
 */
export function resourceStepsOf(events: readonly EngineEventPayload[]): readonly string[] {
  return events.flatMap(event => {
    if (!('resourcePreEvent' in event) || event.resourcePreEvent === undefined) return []
    const { op, urn, type } = event.resourcePreEvent.metadata
    if (type.startsWith('pulumi:')) return []
    return [`${op} ${urn.split('::').at(-1)}`]
  })
}

/** Returns the inputs whose change forces a replacement in the test cloud. */
export const createReplaceInput = (replace: number): Record<string, unknown> => ({ replace })

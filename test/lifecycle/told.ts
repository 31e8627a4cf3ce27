import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { Ran } from './engine.ts'

/** The errors that a run told, each with its resource's name before it. */
export function errorsOf({ events }: Pick<Ran, 'events'>): readonly string[] {
  return events.flatMap(event =>
    'diagnosticEvent' in event && event.diagnosticEvent.severity === 'error'
      ? [`${nameOf(event.diagnosticEvent.urn)}: ${event.diagnosticEvent.message}`]
      : [],
  )
}

/** What policies found, as `level pack/policy name`. */
export function policiesOf({ events }: Pick<Ran, 'events'>): readonly string[] {
  return events.flatMap(event => policyIn(event))
}

function policyIn(event: EngineEventPayload): readonly string[] {
  if ('policyEvent' in event) {
    const { enforcementLevel, policyPackName, policyName, resourceUrn } = event.policyEvent
    return [`${enforcementLevel} ${policyPackName}/${policyName} ${nameOf(resourceUrn)}`]
  }
  if (!('policyRemediationEvent' in event)) return []
  const { policyPackName, policyName, resourceUrn } = event.policyRemediationEvent
  return [`remediated ${policyPackName}/${policyName} ${nameOf(resourceUrn)}`]
}

/** The steps of a resource, by name, as they were begun. */
export function stepsOf({ events }: Pick<Ran, 'events'>, name: string): readonly string[] {
  return events.flatMap(event =>
    'resourcePreEvent' in event && nameOf(event.resourcePreEvent.metadata.urn) === name
      ? [event.resourcePreEvent.metadata.op]
      : [],
  )
}

function nameOf(urn = ''): string {
  return urn.slice(urn.lastIndexOf('::') + 2)
}

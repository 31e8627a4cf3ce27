import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { StoredResource } from '../../shared/state/stored.ts'
import type { TestRun } from './engine.ts'

/**
 * Returns the steps that a run reported for resources of the package `test`, as `update a`, in
 * order.
 */
export function stepsOf({ events }: Pick<TestRun, 'events'>): readonly string[] {
  return events.flatMap(event => {
    if (!('resourcePreEvent' in event)) return []
    const { op, urn, type } = event.resourcePreEvent.metadata
    return type.startsWith('test:') ? [`${op} ${urn.split('::').at(-1)}`] : []
  })
}

/** Returns the messages of one severity that a run reported; by default the errors. */
export function diagnosticsOf(
  { events }: Pick<TestRun, 'events'>,
  severity: 'error' | 'warning' | 'info' = 'error',
): readonly string[] {
  const readMessages = (event: EngineEventPayload): readonly string[] =>
    'diagnosticEvent' in event && event.diagnosticEvent.severity === severity
      ? [event.diagnosticEvent.message]
      : []
  return events.flatMap(readMessages)
}

/** Returns the states of the resources that have this name, in order. */
export function statesOf(
  { state }: Pick<TestRun, 'state'>,
  name: string,
): readonly StoredResource[] {
  return (state.resources ?? []).filter(({ urn }) => urn.endsWith(`::${name}`))
}

/** Returns the errors that a run reported, as `resource name: message`. */
export function errorsOf({ events }: Pick<TestRun, 'events'>): readonly string[] {
  return events.flatMap(event =>
    'diagnosticEvent' in event && event.diagnosticEvent.severity === 'error'
      ? [`${nameOf(event.diagnosticEvent.urn)}: ${event.diagnosticEvent.message}`]
      : [],
  )
}

/**
 * Returns the policy violations and remediations that a run reported, as
 * `level pack/policy resource`. The level of a remediation is `remediated`.
 */
export function policyResultsOf({ events }: Pick<TestRun, 'events'>): readonly string[] {
  return events.flatMap(event => describePolicy(event))
}

function describePolicy(event: EngineEventPayload): readonly string[] {
  if ('policyEvent' in event) {
    const { enforcementLevel, policyPackName, policyName, resourceUrn } = event.policyEvent
    return [`${enforcementLevel} ${policyPackName}/${policyName} ${nameOf(resourceUrn)}`]
  }
  if (!('policyRemediationEvent' in event)) return []
  const { policyPackName, policyName, resourceUrn } = event.policyRemediationEvent
  return [`remediated ${policyPackName}/${policyName} ${nameOf(resourceUrn)}`]
}

/** Returns the ops of the resource with this name, such as `create`, in the order of the begins. */
export function opsOf({ events }: Pick<TestRun, 'events'>, name: string): readonly string[] {
  return events.flatMap(event =>
    'resourcePreEvent' in event && nameOf(event.resourcePreEvent.metadata.urn) === name
      ? [event.resourcePreEvent.metadata.op]
      : [],
  )
}

function nameOf(urn = ''): string {
  return urn.slice(urn.lastIndexOf('::') + 2)
}

import { type EventRecord, eventFieldsOf } from './event-record.ts'

/**
 * The kinds of engine events in the order of Pulumi's `apitype.EngineEvent`, each with its name in
 * Pulumi's table of events. The code of a kind is its position, which begins at 1.
 * Source: docs/spec/events.md#codes-of-kinds.
 */
const eventKinds: readonly (readonly [string, string])[] = [
  ['cancelEvent', 'cancel'],
  ['stdoutEvent', 'stdout'],
  ['diagnosticEvent', 'diagnostic'],
  ['preludeEvent', 'prelude'],
  ['summaryEvent', 'summary'],
  ['resourcePreEvent', 'resource-pre'],
  ['resOutputsEvent', 'resource-outputs'],
  ['resOpFailedEvent', 'resource-op-failed'],
  ['policyEvent', 'policy'],
  ['policyRemediationEvent', 'policy-remediation'],
  ['policyLoadEvent', 'policy-load'],
  ['policyAnalyzeSummaryEvent', 'policy-analyze-summary'],
  ['policyRemediateSummaryEvent', 'policy-remediate-summary'],
  ['policyAnalyzeStackSummaryEvent', 'policy-analyze-stack-summary'],
  ['startDebuggingEvent', 'start-debugging'],
  ['progressEvent', 'progress'],
  ['errorEvent', 'error'],
]

/** The codes of all kinds of engine events as text, each with the name of its kind. */
export const eventKindCodes: ReadonlyMap<string, string> = new Map(
  eventKinds.map(([, name], index) => [String(index + 1), name]),
)

/** Returns the property with the fields of an event, and the name of its kind. */
export function eventKindOf(event: EventRecord): { readonly key: string; readonly name: string } {
  const [key, name] = eventKinds.find(([field]) => field in event) ?? ['', 'unknown']
  return { key, name }
}

/** The events that a reader requests. No codes: all kinds. No URN: all resources. */
export interface EventSelection {
  readonly codes: readonly string[]
  readonly urn?: string | undefined
}

/** Creates a filter of the events in a selection. An unknown code selects no event. */
export function createEventFilter({ codes, urn }: EventSelection): (event: EventRecord) => boolean {
  const names = new Set(codes.map(code => eventKindCodes.get(code)))
  return event =>
    (codes.length === 0 || names.has(eventKindOf(event).name)) &&
    (urn === undefined || isEventOf(event, urn))
}

/** Reports whether an event names the resource with a URN. */
function isEventOf(event: EventRecord, urn: string): boolean {
  return Object.values(event).some(value => {
    const fields = eventFieldsOf(value)
    return [fields, eventFieldsOf(fields['metadata'])].some(
      record => record['urn'] === urn || record['resourceUrn'] === urn,
    )
  })
}

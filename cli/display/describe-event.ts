import { removeColorDirectives } from '../../shared/engine/events/color-directives.ts'
import { type EventRecord, recordOf, eventTextOf } from './event-record.ts'
import { removeControls } from './paint.ts'

/** The fields of events, with the names of their kinds in Pulumi's table of events. */
const kindNames: readonly (readonly [string, string])[] = [
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
  ['startDebuggingEvent', 'start-debugging'],
  ['progressEvent', 'progress'],
]

/** Returns the kind and the short text of a stored event for a table. */
export function describeEvent(event: EventRecord): {
  readonly kind: string
  readonly details: string
} {
  const [key, kind] = kindNames.find(([name]) => name in event) ?? ['', 'unknown']
  const fields = recordOf(event[key])
  const severity = key === 'diagnosticEvent' ? eventTextOf(fields['severity']) : ''
  return {
    kind: severity === '' ? kind : `${kind}/${toCell(severity)}`,
    details: toCell(describeFields(key, fields)),
  }
}

/**
 * Returns a text for a table cell. Control characters are removed, because clients choose texts.
 */
function toCell(text: string): string {
  return removeControls(removeColorDirectives(text)).trimEnd().replaceAll(/\s+/g, ' ')
}

/** Reports whether an event names the resource with a URN. */
export function isEventOf(event: EventRecord, urn: string): boolean {
  return Object.values(event).some(value => {
    const fields = recordOf(value)
    return [fields, recordOf(fields['metadata'])].some(
      record => record['urn'] === urn || record['resourceUrn'] === urn,
    )
  })
}

function describeFields(key: string, fields: EventRecord): string {
  const read = (name: string): string => eventTextOf(fields[name])
  switch (key) {
    case 'diagnosticEvent':
      return `${read('urn') === '' ? '' : `${read('urn')}: `}${read('message')}`
    case 'summaryEvent':
      return `result=${read('result') || 'unknown'} duration=${read('durationSeconds')}s`
    case 'resourcePreEvent':
    case 'resOutputsEvent':
    case 'resOpFailedEvent': {
      const { op, urn } = recordOf(fields['metadata'])
      return `${eventTextOf(op)} ${eventTextOf(urn)}`
    }
    case 'policyEvent':
      return `${read('policyPackName')}/${read('policyName')}: ${read('message')}`
    case 'policyRemediationEvent':
      return `${read('policyPackName')}/${read('policyName')} on ${read('resourceUrn')}`
    case 'stdoutEvent':
    case 'progressEvent':
      return read('message')
    default:
      return ''
  }
}

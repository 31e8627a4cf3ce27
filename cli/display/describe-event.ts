import { removeColorDirectives } from '../../shared/engine/events/color-directives.ts'
import { eventKindOf } from '../../shared/engine/events/event-filter.ts'
import {
  type EventRecord,
  eventFieldsOf,
  eventTextOf,
} from '../../shared/engine/events/event-record.ts'
import { removeControls } from './paint.ts'

/** Returns the kind and the short text of a stored event for a table. */
export function describeEvent(event: EventRecord): {
  readonly kind: string
  readonly details: string
} {
  const { key, name } = eventKindOf(event)
  const fields = eventFieldsOf(event[key])
  const severity = key === 'diagnosticEvent' ? eventTextOf(fields['severity']) : ''
  return {
    kind: severity === '' ? name : `${name}/${toCell(severity)}`,
    details: toCell(describeFields(key, fields)),
  }
}

/**
 * Returns a text for a table cell. Control characters are removed, because a client may store any
 * text in an event.
 */
function toCell(text: string): string {
  return removeControls(removeColorDirectives(text)).trimEnd().replaceAll(/\s+/g, ' ')
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
      const { op, urn } = eventFieldsOf(fields['metadata'])
      return `${eventTextOf(op)} ${eventTextOf(urn)}`
    }
    case 'policyEvent':
      return `${read('policyPackName')}/${read('policyName')}: ${read('message')}`
    case 'policyRemediationEvent':
      return `${read('policyPackName')}/${read('policyName')} on ${read('resourceUrn')}`
    case 'policyAnalyzeSummaryEvent':
    case 'policyRemediateSummaryEvent':
    case 'policyAnalyzeStackSummaryEvent':
      return read('policyPackName')
    case 'errorEvent':
      return read('error')
    case 'stdoutEvent':
    case 'progressEvent':
      return read('message')
    default:
      return ''
  }
}

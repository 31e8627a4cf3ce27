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
  const readField = (name: string): string => eventTextOf(fields[name])
  switch (key) {
    case 'diagnosticEvent':
      return `${readField('urn') === '' ? '' : `${readField('urn')}: `}${readField('message')}`
    case 'summaryEvent':
      return `result=${readField('result') || 'unknown'} duration=${readField('durationSeconds')}s`
    case 'resourcePreEvent':
    case 'resOutputsEvent':
    case 'resOpFailedEvent': {
      const { op, urn } = eventFieldsOf(fields['metadata'])
      return `${eventTextOf(op)} ${eventTextOf(urn)}`
    }
    case 'policyEvent':
      return `${readField('policyPackName')}/${readField('policyName')}: ${readField('message')}`
    case 'policyRemediationEvent':
      return `${readField('policyPackName')}/${readField('policyName')} on ${readField('resourceUrn')}`
    case 'policyAnalyzeSummaryEvent':
    case 'policyRemediateSummaryEvent':
    case 'policyAnalyzeStackSummaryEvent':
      return readField('policyPackName')
    case 'errorEvent':
      return readField('error')
    case 'stdoutEvent':
    case 'progressEvent':
      return readField('message')
    default:
      return ''
  }
}

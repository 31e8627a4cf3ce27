import type { DiagnosticEvent, EngineEventPayload } from '../../shared/engine/events/event.ts'
import type {
  PolicyIdentity,
  PolicyRemediationEvent,
} from '../../shared/engine/events/policy-events.ts'
import { isUrn, nameOf, stackType } from '../../shared/names/urn.ts'
import { cleanText } from './paint.ts'
import { mapLines } from './property-diff.ts'

/** A message, cleaned of control characters; `urn` '' when it is about no resource. */
export interface Message {
  readonly severity: DiagnosticEvent['severity']
  readonly urn: string
  /** What stands before it: what it is about; '' for the stack and for nothing. */
  readonly about: string
  readonly text: string
  readonly ephemeral: boolean
}

/** What is told of resources and by whom, as options of the command ask for it. */
export interface Told {
  /** Messages for debugging, too. */
  readonly debug?: boolean
  /** Whole URNs instead of types and names. */
  readonly urns?: boolean
  /** What a policy pack has changed, property by property. */
  readonly showPolicyRemediations?: boolean
}

/** What somebody says: program, engine, provider, or a policy. */
export function messageIn(event: EngineEventPayload, told: Told): Message | undefined {
  if ('diagnosticEvent' in event) return messageOf(event.diagnosticEvent, told)
  const urnOf = ({ resourceUrn = '' }: { readonly resourceUrn?: string }): string => resourceUrn
  if ('policyEvent' in event) {
    const { policyEvent: policy } = event
    const { enforcementLevel: level } = policy
    const message = `[${level}] ${policyName(policy)}\n${policy.message}`
    const severity = level === 'mandatory' ? 'error' : 'warning'
    return messageOf({ severity, message, color: 'raw', urn: urnOf(policy) }, told)
  }
  if (!('policyRemediationEvent' in event)) return undefined
  const { policyRemediationEvent: policy } = event
  const changes = told.showPolicyRemediations === true ? remediated(policy) : []
  const message = [`[remediate] ${policyName(policy)}`, ...changes].join('\n')
  return messageOf({ severity: 'info', message, color: 'raw', urn: urnOf(policy) }, told)
}

/** A message of the display's own, about no resource. */
export function calmMessage(text: string): Message {
  return { severity: 'info', urn: '', about: '', ephemeral: false, text: cleanText(text) }
}

/** What a resource is called: by its name, or by its whole URN. */
export function shownName(urn: string, { urns = false }: Told): string {
  return urns ? cleanText(urn).replaceAll(/\s*\n\s*/g, ' ') : nameOfUrn(urn)
}

/** The name in a URN; a text that is no URN is its own name. */
export function nameOfUrn(urn: string): string {
  // A name must not make lines of its own.
  return cleanText(isUrn(urn) ? nameOf(urn) : urn).replaceAll(/\s*\n\s*/g, ' ')
}

function policyName(policy: PolicyIdentity & { readonly policyName: string }): string {
  return `${policy.policyPackName}@v${policy.policyPackVersion}  ${policy.policyName}`
}

function remediated({ before = {}, after = {} }: PolicyRemediationEvent): readonly string[] {
  return mapLines(before, after, 0).map(
    ({ mark, depth, text }) => `${'    '.repeat(depth)}${mark} ${text}`,
  )
}

/** Messages that a person is to see: no empty ones, and those for debugging where asked for. */
function messageOf(event: DiagnosticEvent, told: Told): Message | undefined {
  const text = cleanText(event.message).trimEnd()
  if (text.trim() === '' || (event.severity === 'debug' && told.debug !== true)) return undefined
  const { urn = '' } = event
  return {
    severity: event.severity,
    urn,
    about: urn === '' || isStackUrn(urn) ? '' : shownName(urn, told),
    text,
    ephemeral: event.ephemeral ?? false,
  }
}

function isStackUrn(urn: string): boolean {
  return urn.includes(`::${stackType}::`)
}

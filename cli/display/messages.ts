import type { DiagnosticEvent, EngineEventPayload } from '../../shared/engine/events/event.ts'
import type {
  PolicyIdentity,
  PolicyRemediationEvent,
} from '../../shared/engine/events/policy-events.ts'
import { isUrn, nameOf, stackType } from '../../shared/names/urn.ts'
import { removeControls } from './paint.ts'
import { diffMaps } from './property-diff.ts'

/** A message, cleaned of control characters; `urn` '' when it is about no resource. */
export interface Message {
  readonly severity: DiagnosticEvent['severity']
  readonly urn: string
  /** What stands before it: what it is about; '' for the stack and for nothing. */
  readonly subject: string
  readonly text: string
  readonly ephemeral: boolean
}

/** What is told of resources and by whom, as options of the command ask for it. */
export interface MessageOptions {
  /** Messages for debugging, too. */
  readonly debug?: boolean
  /** Whole URNs instead of types and names. */
  readonly urns?: boolean
  /** What a policy pack has changed, property by property. */
  readonly showPolicyRemediations?: boolean
}

/** What somebody says: program, engine, provider, or a policy. */
export function toMessage(event: EngineEventPayload, options: MessageOptions): Message | undefined {
  if ('diagnosticEvent' in event) return toDiagnosticMessage(event.diagnosticEvent, options)
  const urnOf = ({ resourceUrn = '' }: { readonly resourceUrn?: string }): string => resourceUrn
  if ('policyEvent' in event) {
    const { policyEvent: policy } = event
    const { enforcementLevel: level } = policy
    const message = `[${level}] ${policyNameOf(policy)}\n${policy.message}`
    const severity = level === 'mandatory' ? 'error' : 'warning'
    return toDiagnosticMessage({ severity, message, color: 'raw', urn: urnOf(policy) }, options)
  }
  if (!('policyRemediationEvent' in event)) return undefined
  const { policyRemediationEvent: policy } = event
  const changes = options.showPolicyRemediations === true ? remediationLines(policy) : []
  const message = [`[remediate] ${policyNameOf(policy)}`, ...changes].join('\n')
  return toDiagnosticMessage(
    { severity: 'info', message, color: 'raw', urn: urnOf(policy) },
    options,
  )
}

/** A message of the display's own, about no resource. */
export function createInfoMessage(text: string): Message {
  return { severity: 'info', urn: '', subject: '', ephemeral: false, text: removeControls(text) }
}

/** What a resource is called: by its name, or by its whole URN. */
export function displayNameOf(urn: string, { urns = false }: MessageOptions): string {
  return urns ? removeControls(urn).replaceAll(/\s*\n\s*/g, ' ') : nameOfUrn(urn)
}

/** The name in a URN; a text that is no URN is its own name. */
export function nameOfUrn(urn: string): string {
  // A name must not make lines of its own.
  return removeControls(isUrn(urn) ? nameOf(urn) : urn).replaceAll(/\s*\n\s*/g, ' ')
}

function policyNameOf(policy: PolicyIdentity & { readonly policyName: string }): string {
  return `${policy.policyPackName}@v${policy.policyPackVersion}  ${policy.policyName}`
}

function remediationLines({ before = {}, after = {} }: PolicyRemediationEvent): readonly string[] {
  return diffMaps(before, after, 0).map(
    ({ mark, depth, text }) => `${'    '.repeat(depth)}${mark} ${text}`,
  )
}

/** Messages that a person is to see: no empty ones, and those for debugging where asked for. */
function toDiagnosticMessage(event: DiagnosticEvent, options: MessageOptions): Message | undefined {
  const text = removeControls(event.message).trimEnd()
  if (text.trim() === '' || (event.severity === 'debug' && options.debug !== true)) return undefined
  const { urn = '' } = event
  return {
    severity: event.severity,
    urn,
    subject: urn === '' || isStackUrn(urn) ? '' : displayNameOf(urn, options),
    text,
    ephemeral: event.ephemeral ?? false,
  }
}

function isStackUrn(urn: string): boolean {
  return urn.includes(`::${stackType}::`)
}

import type { DiagnosticEvent, EngineEventPayload } from '../../shared/engine/events/event.ts'
import type {
  PolicyPackIdentity,
  PolicyRemediationEvent,
} from '../../shared/engine/events/policy-events.ts'
import { isStackUrn, isUrn, nameOf } from '../../shared/names/urn.ts'
import { removeControls } from './paint.ts'
import { diffMaps } from './property-diff.ts'

/**
 * A message without control characters. `urn` is '' when the message belongs to no resource. An
 * `ephemeral` message is shown only in the live tree.
 */
export interface Message {
  readonly severity: DiagnosticEvent['severity']
  readonly urn: string
  /** The display name of the resource, '' for the stack and for messages without a resource. */
  readonly subject: string
  readonly text: string
  readonly ephemeral: boolean
}

/** Options of the command that select messages and format names. */
export interface MessageOptions {
  /** Whether debug messages are shown. */
  readonly debug?: boolean
  /** Whether whole URNs are shown instead of types and names. */
  readonly urns?: boolean
  /** Whether ephemeral messages are kept. */
  readonly verbose?: boolean
  /** Whether the changes of a policy pack are shown, property by property. */
  readonly showPolicyRemediations?: boolean
}

/** Returns the message of a diagnostic, policy or remediation event, or undefined for others. */
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
  const changes = options.showPolicyRemediations === true ? formatRemediationLines(policy) : []
  const message = [`[remediate] ${policyNameOf(policy)}`, ...changes].join('\n')
  return toDiagnosticMessage(
    { severity: 'info', message, color: 'raw', urn: urnOf(policy) },
    options,
  )
}

/** Creates a message of the display itself, which belongs to no resource. */
export function createInfoMessage(text: string): Message {
  return { severity: 'info', urn: '', subject: '', ephemeral: false, text: removeControls(text) }
}

/** Returns the display name of a resource: its name, or its whole URN if `urns` is set. */
export function displayNameOf(urn: string, { urns = false }: MessageOptions): string {
  return urns ? removeControls(urn).replaceAll(/\s*\n\s*/g, ' ') : nameOfUrn(urn)
}

/**
 * Returns the name in a URN. Returns the whole text if it is not a URN. The result has no control
 * characters and no line breaks.
 */
export function nameOfUrn(urn: string): string {
  // A name must not start new lines.
  return removeControls(isUrn(urn) ? nameOf(urn) : urn).replaceAll(/\s*\n\s*/g, ' ')
}

function policyNameOf(policy: PolicyPackIdentity & { readonly policyName: string }): string {
  return `${policy.policyPackName}@v${policy.policyPackVersion}  ${policy.policyName}`
}

function formatRemediationLines({
  before = {},
  after = {},
}: PolicyRemediationEvent): readonly string[] {
  return diffMaps(before, after, 0).map(
    ({ mark, depth, text }) => `${'    '.repeat(depth)}${mark} ${text}`,
  )
}

/**
 * Returns the message of a diagnostic event. Returns undefined for an empty message, and for a
 * debug message unless debug messages are requested.
 */
function toDiagnosticMessage(event: DiagnosticEvent, options: MessageOptions): Message | undefined {
  const text = removeControls(event.message).trimEnd()
  if (text.trim() === '' || (event.severity === 'debug' && options.debug !== true)) return undefined
  const { urn = '' } = event
  return {
    severity: event.severity,
    urn,
    subject: urn === '' || isStackUrn(urn) ? '' : displayNameOf(urn, options),
    text,
    ephemeral: event.ephemeral === true && options.verbose !== true,
  }
}

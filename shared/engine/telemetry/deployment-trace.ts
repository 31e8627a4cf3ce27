/**
 * telemetry: the spans and measurements of deployments and operations. Imports ports and below.
 *
 * Invariants: the ids of spans are derived from the trace, the deployment and the operation. So
 * processes that share only records report parts of one trace, and a process that takes over needs
 * no id of its predecessor. No text of a program, provider or state gets into a span, except URNs.
 */
import { createHash } from 'node:crypto'
import type { TraceStart } from '../../ports/telemetry.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import {
  formatTraceParent,
  parseTraceParent,
  type SpanContext,
} from '../../records/trace-context.ts'

/** The place of a deployment in its trace. */
export interface DeploymentTrace {
  /** The span of the whole deployment, which the process that closes the deployment reports. */
  readonly span: SpanContext
  /** The span of the caller that started the deployment. Undefined if the caller named none. */
  readonly parent: SpanContext | undefined
}

/** Returns the place of a deployment in its trace, which is a new one or that of its caller. */
export function deriveDeploymentTrace(
  deployment: DeploymentId,
  start: TraceStart,
): DeploymentTrace {
  return { span: deriveSpan(start, deployment), parent: start.parent }
}

/**
 * Returns the field of a pin from which every process of the deployment restores its trace. It has
 * the `traceparent` of the caller. Without a caller, it has the `traceparent` of the deployment
 * itself.
 */
export function toTraceField({ span, parent }: DeploymentTrace): string {
  return formatTraceParent(parent ?? span)
}

/**
 * Restores the trace of a deployment from its pin. A pin without the field was written without
 * telemetry. Its trace is derived from the deployment and the base of the pin.
 */
export function restoreTrace(
  deployment: DeploymentId,
  { trace = '', base }: { readonly trace?: string; readonly base: string },
): DeploymentTrace {
  const recorded = parseTraceParent(trace)
  if (recorded === undefined) {
    const traceId = hashText(`${deployment}\n${base}`).slice(0, 32)
    return deriveDeploymentTrace(deployment, { traceId, isSampled: true })
  }
  const span = deriveSpan(recorded, deployment)
  return { span, parent: recorded.spanId === span.spanId ? undefined : recorded }
}

/** Returns the span of an operation. It is the same in each process that runs the operation. */
export function deriveOperationSpan(trace: DeploymentTrace, id: OperationId): SpanContext {
  return deriveSpan(trace.span, `${trace.span.spanId}\n${id}`)
}

function deriveSpan(
  { traceId, isSampled }: Pick<SpanContext, 'traceId' | 'isSampled'>,
  name: string,
): SpanContext {
  return { traceId, spanId: hashText(`${traceId}\n${name}`).slice(0, 16), isSampled }
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

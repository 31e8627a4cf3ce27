import { type DeploymentTrace } from '../../engine/telemetry/deployment-trace.ts'
import type { SpanRecord, TelemetryAttributes, TelemetryPort } from '../../ports/telemetry.ts'
import type { ClockPort } from '../../ports/system.ts'
import { grpcCodeOf } from '../../providers/plugins/call-failures.ts'
import type { TraceCall, TracedCall } from '../../providers/plugins/trace-call.ts'
import { formatTraceParent, type SpanContext } from '../../records/trace-context.ts'

/** The part of a trace that one run of a generator or executor reports. */
export interface RunTrace {
  /** The environment of programs and plugins, with TRACEPARENT once the run has begun. */
  readonly variables: Readonly<Record<string, string>>
  /** Traces calls of plugins. Undefined without telemetry. */
  readonly traceCall: TraceCall | undefined
  /** Begins the span of a run. Calls outside of an operation become its children. */
  readonly beginRun: (span: RunSpan) => void
  /** Adds calls outside of an operation to the deployment's span, unless a run has begun. */
  readonly joinDeployment: (trace: DeploymentTrace) => void
  /** Reports the span of the run. Later calls have no effect. */
  readonly endRun: () => void
}

/** The span of a run: its name, its parent and its attributes. */
export interface RunSpan {
  readonly name: string
  readonly parent: Pick<SpanContext, 'traceId' | 'isSampled'> & Partial<SpanContext>
  readonly attributes: TelemetryAttributes
}

/** Creates the trace of a run. The environment of the run's processes extends `userVariables`. */
export function createRunTrace(
  { telemetry, clock }: { readonly telemetry: TelemetryPort; readonly clock: ClockPort },
  userVariables: Readonly<Record<string, string>>,
): RunTrace {
  if (!telemetry.isOn)
    return {
      variables: userVariables,
      traceCall: undefined,
      beginRun: () => undefined,
      joinDeployment: () => undefined,
      endRun: () => undefined,
    }
  const variables: Record<string, string> = { ...userVariables }
  let runSpan: SpanContext | undefined
  let report: (() => void) | undefined
  return {
    variables,
    traceCall: createCallTracer({ telemetry, clock }, () => runSpan),
    beginRun({ name, parent, attributes }) {
      const { traceId, isSampled, spanId } = parent
      const context = { traceId, isSampled, spanId: telemetry.createSpanId() }
      const startMs: number = clock.now()
      runSpan = context
      variables['TRACEPARENT'] = formatTraceParent(context)
      report = () =>
        telemetry.recordSpan({
          name,
          kind: 'internal',
          context,
          startMs,
          endMs: clock.now(),
          attributes,
          parent: spanId === undefined ? undefined : { traceId, isSampled, spanId },
          events: [],
          hasFailed: false,
        })
    },
    joinDeployment({ span }) {
      if (runSpan !== undefined) return
      runSpan = span
      variables['TRACEPARENT'] = formatTraceParent(span)
    },
    endRun() {
      report?.()
      report = undefined
    },
  }
}

function createCallTracer(
  { telemetry, clock }: Parameters<typeof createRunTrace>[0],
  getRunSpan: () => SpanContext | undefined,
): TraceCall {
  return async (call, run) => {
    const parent = telemetry.getActiveSpan() ?? getRunSpan()
    if (parent === undefined) return run()
    const context = { ...parent, spanId: telemetry.createSpanId() }
    const startMs: number = clock.now()
    const report = (status: number): void => {
      const times = { startMs, endMs: clock.now() }
      const span = describeCallSpan(call, { context, parent, ...times, status })
      telemetry.recordSpan(span)
      const seconds = (times.endMs - startMs) / 1_000
      telemetry.recordDuration('rpc.client.call.duration', seconds, span.attributes)
    }
    try {
      const result = await run({ traceparent: formatTraceParent(context) })
      report(0)
      return result
    } catch (thrown) {
      report(grpcCodeOf(thrown))
      throw thrown
    }
  }
}

/**
 * Returns the span of a call of a plugin, with the attributes that OpenTelemetry defines for gRPC.
 * The message of an error may contain inputs, so only the status is part of the span.
 */
function describeCallSpan(
  { plugin, path }: TracedCall,
  call: Pick<SpanRecord, 'context' | 'parent' | 'startMs' | 'endMs'> & { readonly status: number },
): SpanRecord {
  const { status, ...span } = call
  const [, service = '', method = ''] = path.split('/')
  return {
    ...span,
    name: `${service}/${method}`,
    kind: 'client',
    attributes: {
      'rpc.system': 'grpc',
      'rpc.service': service,
      'rpc.method': method,
      'rpc.grpc.status_code': status,
      'antichain.plugin': plugin,
    },
    events: [],
    hasFailed: status !== 0,
  }
}

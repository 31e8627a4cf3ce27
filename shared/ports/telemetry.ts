import type { SpanContext } from '../records/trace-context.ts'
import type { LoggerPort } from './system.ts'

/** The attributes of a span, event or measurement. They never contain a value of a program. */
export type TelemetryAttributes = Readonly<Record<string, string | number | boolean>>

/** A completed span, with the ids that its reporter chose. */
export interface SpanRecord {
  readonly name: string
  /** `client`: a call of another process. `server`: the answer to a request. */
  readonly kind: 'internal' | 'client' | 'server'
  readonly context: SpanContext
  /** The parent, which may belong to another process. Absent: the span is the root of its trace. */
  readonly parent?: SpanContext | undefined
  /** Begin and end in ms since 1970. */
  readonly startMs: number
  readonly endMs: number
  readonly attributes: TelemetryAttributes
  readonly events: readonly SpanEvent[]
  readonly hasFailed: boolean
}

/** A moment within a span. */
export interface SpanEvent {
  readonly name: string
  readonly atMs: number
  readonly attributes: TelemetryAttributes
}

/** The beginning of a trace. */
export interface TraceStart extends Pick<SpanContext, 'traceId' | 'isSampled'> {
  /** The span of the process that called this one, which TRACEPARENT names. */
  readonly parent?: SpanContext
}

/** The counters, which only grow. Their unit is one. */
export const telemetryCounters = {
  'antichain.deployments': 'Deployments that ended.',
  'antichain.operations': 'Operations that ended.',
  'antichain.retries': 'Calls of providers that were repeated.',
  'antichain.throttled_calls': 'Calls of providers that failed because of a limit of their cloud.',
  'antichain.lease_losses': 'Leases that an executor or generator could not renew in time.',
  'antichain.drifted_resources': 'Resources that a refresh found changed or gone.',
} as const

/** The histograms of durations, in seconds. */
export const telemetryDurations = {
  'antichain.deployment.duration': 'Duration of deployments.',
  'antichain.operation.duration': 'Duration of operations, without the wait for their begin.',
  'antichain.operation.wait': 'Wait of operations before their begin, by its reason.',
  'antichain.chain.wait': 'Wait of chains in their queue, until their first delivery.',
  'antichain.request.wait': 'Wait of requests in the queue of their stack.',
  'faas.invoke_duration': 'Duration of function calls, except those that an HTTP request causes.',
  'http.server.request.duration': 'Duration of requests to the API, the service and webhooks.',
  'rpc.client.call.duration': 'Duration of calls of plugins.',
} as const

/** The gauges of ages, in seconds. */
export const telemetryAges = {
  'antichain.chain.age': 'Age of the oldest chain that waits for an executor.',
  'antichain.request.age': 'Age of the oldest request that has not ended.',
} as const

/** Traces, metrics and logs for the collector of an operator. Every method returns immediately. */
export interface TelemetryPort {
  /** Whether anything is recorded. Callers need not prepare records for telemetry that is off. */
  readonly isOn: boolean
  readonly recordSpan: (span: SpanRecord) => void
  readonly addToCounter: (
    counter: keyof typeof telemetryCounters,
    value: number,
    attributes: TelemetryAttributes,
  ) => void
  readonly recordDuration: (
    histogram: keyof typeof telemetryDurations,
    seconds: number,
    attributes: TelemetryAttributes,
  ) => void
  /** Sets a gauge, which keeps its value until the next call. */
  readonly recordAge: (gauge: keyof typeof telemetryAges, seconds: number) => void
  readonly recordLog: LoggerPort['write']
  /**
   * Returns the trace of a new deployment, preview or HTTP request. Returns undefined when
   * telemetry is off.
   */
  readonly startTrace: () => TraceStart | undefined
  /** Returns a random id for a span, 16 hex digits. */
  readonly createSpanId: () => string
  /** Calls a function with a span as the active one, also in all that the function awaits. */
  readonly runWithin: <T>(span: SpanContext, run: () => T) => T
  readonly getActiveSpan: () => SpanContext | undefined
  /**
   * Sends all that was recorded. Resolves within a few seconds, and never rejects. A Lambda
   * function must await it before the end of each call, because its process is frozen afterwards.
   */
  readonly flush: () => Promise<void>
}

const doNothing = (): void => undefined

/** The telemetry of a process without a collector: it records nothing. */
export const noTelemetry: TelemetryPort = {
  isOn: false,
  recordSpan: doNothing,
  addToCounter: doNothing,
  recordDuration: doNothing,
  recordAge: doNothing,
  recordLog: doNothing,
  startTrace: () => undefined,
  createSpanId: () => '',
  runWithin: (_span, run) => run(),
  getActiveSpan: () => undefined,
  flush: () => Promise.resolve(),
}

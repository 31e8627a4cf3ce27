import { randomUUID } from 'node:crypto'
import manifest from '../../../package.json' with { type: 'json' }
import {
  type Context,
  type Counter,
  type Gauge,
  type Histogram,
  ROOT_CONTEXT,
  SeverityNumber,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type IdGenerator,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import {
  telemetryAges,
  telemetryCounters,
  telemetryDurations,
  type TelemetryPort,
} from '../../ports/telemetry.ts'
import type { LoggerPort } from '../../ports/system.ts'
import type { SpanContext } from '../../records/trace-context.ts'
import { toLogAttributes } from './log-attributes.ts'
import { createExportBreaker } from './export-breaker.ts'
import type { TelemetrySettings } from './telemetry-settings.ts'

/** A line of the logger, with the time and the active span of its writer. */
export interface TelemetryLog {
  readonly level: Parameters<LoggerPort['write']>[0]
  readonly event: string
  readonly fields: Parameters<LoggerPort['write']>[2]
  readonly atMs: number
  readonly span: SpanContext | undefined
}

/** The loaded SDK. Its methods return immediately. `flush` sends all records. */
export interface TelemetrySdk
  extends Pick<
    TelemetryPort,
    'recordSpan' | 'addToCounter' | 'recordDuration' | 'recordAge' | 'flush'
  > {
  readonly recordLog: (log: TelemetryLog) => void
}

/** The name of the instrumentation scope of all signals. */
const instrumentationScope = 'antichain'

/** Interval between two exports of metrics, in ms. */
const metricIntervalMs = 15_000

/** Bucket boundaries of the histograms of durations, in seconds. */
const durationBoundariesSeconds = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3_600]

/**
 * Creates the SDK with exporters for OTLP over HTTP. The exporters read the remaining standard
 * variables, such as endpoints, headers and certificates. `onFailure` is called when an export has
 * failed.
 */
export function createTelemetrySdk(options: {
  readonly settings: TelemetrySettings & { readonly kind: 'on' }
  readonly onFailure: (reason: string) => void
}): TelemetrySdk {
  const { version } = manifest
  // The ids of the next span. `recordSpan` sets them before the SDK requests them from the
  // `IdGenerator` below.
  const nextSpanIds = { traceId: '', spanId: '' }
  const { tracerProvider, meterProvider, loggerProvider } = createProviders(options, {
    generateTraceId: () => nextSpanIds.traceId,
    generateSpanId: () => nextSpanIds.spanId,
  })
  const logger = loggerProvider.getLogger(instrumentationScope, version)
  const tracer = tracerProvider.getTracer(instrumentationScope, version)
  return {
    recordSpan(span) {
      nextSpanIds.traceId = span.context.traceId
      nextSpanIds.spanId = span.context.spanId
      const { name, startMs: startTime, attributes } = span
      const kind = spanKinds[span.kind]
      const sdkSpan = tracer.startSpan(
        name,
        { startTime, attributes, kind },
        contextOf(span.parent),
      )
      for (const event of span.events) sdkSpan.addEvent(event.name, event.attributes, event.atMs)
      if (span.hasFailed) sdkSpan.setStatus({ code: SpanStatusCode.ERROR })
      sdkSpan.end(span.endMs)
    },
    ...createInstruments(meterProvider, version),
    recordLog({ level, event, fields, atMs, span }) {
      logger.emit({
        timestamp: atMs,
        severityNumber: severityNumbers[level],
        severityText: level,
        body: event,
        attributes: toLogAttributes(fields),
        context: contextOf(span),
      })
    },
    async flush() {
      const flushes = [tracerProvider, meterProvider, loggerProvider].map(provider =>
        provider.forceFlush(),
      )
      await Promise.allSettled(flushes)
    },
  }
}

/** Creates the providers of the three signals. A signal that is not used has no exporter. */
function createProviders(
  { settings, onFailure }: Parameters<typeof createTelemetrySdk>[0],
  idGenerator: IdGenerator,
) {
  const resource = createResource(manifest.version)
  const breaker = createExportBreaker(onFailure)
  const exporterOptions = { timeoutMillis: settings.timeoutMs }
  const isUsed = (signal: (typeof settings.signals)[number]): boolean =>
    settings.signals.includes(signal)
  const batch = { exportTimeoutMillis: settings.timeoutMs, maxQueueSize: 8_192 }
  const tracerProvider = new TracerProvider({
    resource,
    idGenerator,
    // Spans of traces that are not sampled do not reach the SDK.
    sampler: new AlwaysOnSampler(),
    spanProcessors: isUsed('TRACES')
      ? [
          new BatchSpanProcessor({
            ...batch,
            exporter: breaker.guard(new OTLPTraceExporter(exporterOptions)),
          }),
        ]
      : [],
  })
  const meterProvider = new MeterProvider({
    resource,
    readers: isUsed('METRICS')
      ? [
          new PeriodicExportingMetricReader({
            exporter: breaker.guard(new OTLPMetricExporter(exporterOptions)),
            exportIntervalMillis: metricIntervalMs,
            exportTimeoutMillis: settings.timeoutMs,
          }),
        ]
      : [],
  })
  const loggerProvider = new LoggerProvider({
    resource,
    processors: isUsed('LOGS')
      ? [
          new BatchLogRecordProcessor({
            ...batch,
            exporter: breaker.guard(new OTLPLogExporter(exporterOptions)),
          }),
        ]
      : [],
  })
  return { tracerProvider, meterProvider, loggerProvider }
}

const severityNumbers = {
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
} as const

/**
 * Creates the resource of all signals, which names no process argument, host or user. The variables
 * of the user override its attributes.
 */
function createResource(version: string): Resource {
  return resourceFromAttributes({
    'service.name': 'antichain',
    'service.version': version,
    'service.instance.id': randomUUID(),
  }).merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }))
}

/** Returns the context of a span, which may belong to another process. */
function contextOf(span: SpanContext | undefined): Context {
  if (span === undefined) return ROOT_CONTEXT
  const { traceId, spanId, isSampled } = span
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

const spanKinds = {
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  server: SpanKind.SERVER,
} as const

/** Creates the counters, histograms and gauges of metrics. */
function createInstruments(
  meterProvider: MeterProvider,
  version: string,
): Pick<TelemetrySdk, 'addToCounter' | 'recordDuration' | 'recordAge'> {
  const meter = meterProvider.getMeter(instrumentationScope, version)
  const counters = new Map<string, Counter>()
  const histograms = new Map<string, Histogram>()
  const gauges = new Map<string, Gauge>()
  for (const [name, description] of Object.entries(telemetryCounters))
    counters.set(name, meter.createCounter(name, { description }))
  for (const [name, description] of Object.entries(telemetryDurations)) {
    const advice = { explicitBucketBoundaries: durationBoundariesSeconds }
    histograms.set(name, meter.createHistogram(name, { description, unit: 's', advice }))
  }
  for (const [name, description] of Object.entries(telemetryAges))
    gauges.set(name, meter.createGauge(name, { description, unit: 's' }))
  return {
    addToCounter: (name, value, attributes) => counters.get(name)?.add(value, attributes),
    recordDuration: (name, seconds, attributes) =>
      histograms.get(name)?.record(seconds, attributes),
    recordAge: (name, seconds) => gauges.get(name)?.record(seconds),
  }
}

/**
 * telemetry: the port of traces, metrics and logs over the SDK of OpenTelemetry. Imports ports and
 * below.
 *
 * Invariants: without an endpoint, the SDK is not loaded. No method waits for the collector, and
 * memory is bounded. An unreachable collector causes one warning, and no error.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { withTimeout } from '../../config/with-timeout.ts'
import { messageOf } from '../../errors/error.ts'
import { noTelemetry, type TelemetryPort, type TraceStart } from '../../ports/telemetry.ts'
import { parseTraceParent, type SpanContext } from '../../records/trace-context.ts'
import type { TelemetrySdk } from './create-telemetry-sdk.ts'
import { readTelemetrySettings } from './telemetry-settings.ts'
import { isTraceSampled, type TraceSampler } from './trace-sampler.ts'

/** Options of telemetry. */
export interface TelemetryOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Called at most once, if the settings are refused or telemetry cannot be sent. */
  readonly onWarning: (message: string) => void
}

/** Maximum number of records that wait until the SDK is loaded. Later ones are dropped. */
const pendingRecordsMax = 4_096

/**
 * Opens telemetry with the settings in the standard variables of OpenTelemetry. Returns
 * `noTelemetry` without an endpoint. The first record loads the SDK in the background, so that no
 * caller waits for it.
 */
export function openTelemetry(options: TelemetryOptions): TelemetryPort {
  const { env } = options
  const settings = readTelemetrySettings(env)
  if (settings.kind === 'off') return noTelemetry
  if (settings.kind === 'refused') {
    options.onWarning(`no telemetry is sent: ${settings.reason}`)
    return noTelemetry
  }
  const warnOnce = createOneWarning(options.onWarning)
  let sdk: TelemetrySdk | undefined
  const pendingRecords: ((loaded: TelemetrySdk) => void)[] = []
  let loading: Promise<void> | undefined
  const load = async (): Promise<void> => {
    try {
      const { createTelemetrySdk } = await import('./create-telemetry-sdk.ts')
      sdk = createTelemetrySdk({ settings, onFailure: warnOnce })
      for (const record of pendingRecords.splice(0)) record(sdk)
    } catch (thrown) {
      warnOnce(messageOf(thrown))
    }
  }
  const runWithSdk = (record: (loaded: TelemetrySdk) => void): void => {
    loading ??= load()
    if (sdk !== undefined) record(sdk)
    else if (pendingRecords.length < pendingRecordsMax) pendingRecords.push(record)
  }
  const activeSpan = new AsyncLocalStorage<SpanContext>()
  return {
    isOn: true,
    recordSpan: span => {
      if (span.context.isSampled) runWithSdk(loaded => loaded.recordSpan(span))
    },
    addToCounter: (counter, value, attributes) =>
      runWithSdk(loaded => loaded.addToCounter(counter, value, attributes)),
    recordDuration: (histogram, seconds, attributes) =>
      runWithSdk(loaded => loaded.recordDuration(histogram, seconds, attributes)),
    recordAge: (gauge, seconds) => runWithSdk(loaded => loaded.recordAge(gauge, seconds)),
    recordLog: (level, event, fields) => {
      const [atMs, span] = [Date.now(), activeSpan.getStore()]
      runWithSdk(loaded => loaded.recordLog({ level, event, fields, atMs, span }))
    },
    startTrace: () => startTrace(settings.sampler, env['TRACEPARENT'] ?? ''),
    createSpanId: () => randomBytes(8).toString('hex'),
    runWithin: (span, run) => activeSpan.run(span, run),
    getActiveSpan: () => activeSpan.getStore(),
    async flush() {
      const flushed = loading?.then(() => sdk?.flush()).catch(() => undefined)
      if (flushed !== undefined) await withTimeout(flushed, settings.timeoutMs)
    },
  }
}

function startTrace(sampler: TraceSampler, traceParent: string): TraceStart {
  const parent = parseTraceParent(traceParent)
  const traceId = parent?.traceId ?? randomBytes(16).toString('hex')
  const isSampled = isTraceSampled(sampler, traceId, parent)
  return parent === undefined ? { traceId, isSampled } : { traceId, isSampled, parent }
}

/** Creates the callback for failed exports, which warns of the first one. */
function createOneWarning(onWarning: TelemetryOptions['onWarning']): (reason: string) => void {
  let hasWarned = false
  return reason => {
    if (hasWarned) return
    hasWarned = true
    onWarning(`telemetry cannot be sent to the collector: ${reason}; the work continues without it`)
  }
}

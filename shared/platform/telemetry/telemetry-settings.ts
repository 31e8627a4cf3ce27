import { isTruthy } from '../../config/truthy.ts'
import { readTraceSampler, samplerNames, type TraceSampler } from './trace-sampler.ts'

/** The signals that can be exported, by the infix of their variables. */
const signals = ['TRACES', 'METRICS', 'LOGS'] as const

/** A signal of OpenTelemetry. */
export type TelemetrySignal = (typeof signals)[number]

/**
 * The settings of telemetry. `refused`: the variables request something unsupported or invalid,
 * which `reason` describes.
 */
export type TelemetrySettings =
  | { readonly kind: 'off' }
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'on'
      readonly signals: readonly TelemetrySignal[]
      /** The time that one export may take, with its retries, in ms. */
      readonly timeoutMs: number
      readonly sampler: TraceSampler
    }

/** The default and the maximum of the time that one export may take, in ms. */
const [defaultTimeoutMs, timeoutMaxMs] = [2_000, 10_000]

/**
 * Returns the settings of telemetry from the standard variables of OpenTelemetry. Telemetry is on
 * when a variable names an endpoint. `OTEL_SDK_DISABLED` switches it off. `none` as the exporter of
 * a signal switches off only that signal. Pure.
 */
export function readTelemetrySettings(
  env: Readonly<Record<string, string | undefined>>,
): TelemetrySettings {
  const read = (name: string): string => (env[name] ?? '').trim()
  if (isTruthy(env['OTEL_SDK_DISABLED'])) return { kind: 'off' }
  const usedSignals = signals.filter(
    signal =>
      read(`OTEL_${signal}_EXPORTER`) !== 'none' &&
      read('OTEL_EXPORTER_OTLP_ENDPOINT') + read(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`) !== '',
  )
  if (usedSignals.length === 0) return { kind: 'off' }
  for (const signal of usedSignals) {
    const exporter = read(`OTEL_${signal}_EXPORTER`)
    if (exporter !== '' && exporter !== 'otlp')
      return refuse(`OTEL_${signal}_EXPORTER is '${exporter}'`, "set it to 'otlp' or 'none'")
    const protocol =
      read(`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`) || read('OTEL_EXPORTER_OTLP_PROTOCOL')
    if (protocol !== '' && protocol !== 'http/protobuf')
      return refuse(
        `the protocol of OTLP is '${protocol}'`,
        "set OTEL_EXPORTER_OTLP_PROTOCOL to 'http/protobuf', and use the port for HTTP, usually 4318",
      )
    const endpoint =
      read(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`) || read('OTEL_EXPORTER_OTLP_ENDPOINT')
    if (!/^https?:\/\/./.test(endpoint) || !URL.canParse(endpoint))
      return refuse('the endpoint of OTLP is no URL', 'use a URL such as http://localhost:4318')
  }
  const samplerName = read('OTEL_TRACES_SAMPLER')
  const sampler = readTraceSampler(samplerName, read('OTEL_TRACES_SAMPLER_ARG'))
  if (sampler === undefined)
    return refuse(
      `OTEL_TRACES_SAMPLER is '${samplerName}'`,
      `set it to one of ${samplerNames.join(', ')}`,
    )
  const timeoutMs = Number(read('OTEL_EXPORTER_OTLP_TIMEOUT') || defaultTimeoutMs)
  const isUsable = timeoutMs > 0 && Number.isFinite(timeoutMs)
  return {
    kind: 'on',
    signals: usedSignals,
    sampler,
    timeoutMs: isUsable ? Math.min(timeoutMs, timeoutMaxMs) : defaultTimeoutMs,
  }
}

function refuse(fact: string, remedy: string): TelemetrySettings {
  return { kind: 'refused', reason: `${fact}; ${remedy}` }
}

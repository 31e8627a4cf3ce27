import { expect, test } from 'vitest'
import { readTelemetrySettings } from './telemetry-settings.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }
const on = {
  kind: 'on',
  signals: ['TRACES', 'METRICS', 'LOGS'],
  timeoutMs: 2_000,
  sampler: { followsCaller: true, ratio: 1 },
}

test.each([
  ['no variable', {}, { kind: 'off' }],
  ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, { kind: 'off' }],
  ['an endpoint', endpoint, on],
  [
    'the endpoint of a signal',
    { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'https://c/v1' },
    { ...on, signals: ['LOGS'] },
  ],
  [
    'a signal without exporter',
    { ...endpoint, OTEL_METRICS_EXPORTER: 'none' },
    { ...on, signals: ['TRACES', 'LOGS'] },
  ],
  ['a disabled SDK', { ...endpoint, OTEL_SDK_DISABLED: 'true' }, { kind: 'off' }],
  ['a timeout', { ...endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: '500' }, { ...on, timeoutMs: 500 }],
  [
    'a very long timeout',
    { ...endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: '900000' },
    { ...on, timeoutMs: 10_000 },
  ],
  ['a timeout that is no number', { ...endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: 'x' }, on],
])('%s leads to the expected settings', (_case, env, settings) => {
  expect(readTelemetrySettings(env)).toEqual(settings)
})

test.each([
  [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /http\/protobuf/],
  [{ ...endpoint, OTEL_TRACES_SAMPLER: 'xray' }, /one of always_on, parentbased_always_on/],
  [{ ...endpoint, OTEL_TRACES_EXPORTER: 'zipkin' }, /'otlp' or 'none'/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' }, /is no URL/],
])('the variables %j are refused with the remedy', (env, reason) => {
  expect(readTelemetrySettings(env)).toEqual({
    kind: 'refused',
    reason: expect.stringMatching(reason),
  })
})

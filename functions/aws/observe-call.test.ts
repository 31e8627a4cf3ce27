import { expect, test } from 'vitest'
import { noTelemetry, type TelemetryPort } from '../../shared/ports/telemetry.ts'
import { observeCall } from './observe-call.ts'

test('a call records its outcome and sends telemetry before it ends, also when it fails', async () => {
  const records: string[] = []
  const telemetry: TelemetryPort = {
    ...noTelemetry,
    isOn: true,
    recordDuration: (name, _seconds, attributes) =>
      void records.push(`${name} ${String(attributes['outcome'])}`),
    flush: async () => void records.push('sent'),
  }
  expect(await observeCall(telemetry, () => Promise.resolve(1))).toBe(1)
  await expect(observeCall(telemetry, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(records).toEqual([
    'faas.invoke_duration succeeded',
    'sent',
    'faas.invoke_duration failed',
    'sent',
  ])
  expect(await observeCall(noTelemetry, () => Promise.resolve(2))).toBe(2)
})

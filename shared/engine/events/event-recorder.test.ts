import { expect, test } from 'vitest'
import type { DeploymentId, EpochMs } from '../../records/ids.ts'
import { createEventRecorder } from './event-recorder.ts'

test('debug messages are not stored', async () => {
  const storedLines: string[] = []
  const recorder = createEventRecorder(
    {
      events: {
        append: (_deployment, _writer, _first, lines) =>
          Promise.resolve(void storedLines.push(...lines)),
        read: () =>
          Promise.resolve({ events: storedLines, cursor: storedLines.length, hasMore: false }),
      },
      clock: {
        now: () => 0 as EpochMs,
        monotonicMs: () => 0,
        sleep: () => Promise.resolve(),
        repeat: () => () => undefined,
        defer: call => call(),
      },
    },
    'd-1' as DeploymentId,
    'generator',
  )
  for (const severity of ['debug', 'info', 'error'] as const)
    recorder.emit({ diagnosticEvent: { message: severity, color: 'raw', severity } })
  await recorder.flush()
  expect(storedLines.map(line => JSON.parse(line).diagnosticEvent.severity)).toEqual([
    'info',
    'error',
  ])
})

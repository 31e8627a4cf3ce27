import { expect, test } from 'vitest'
import { createJsonLines } from './json-lines.ts'

test('events are numbered and have a timestamp, and messages end with a newline', () => {
  const lines: unknown[] = []
  const print = createJsonLines(
    line => void lines.push(JSON.parse(line)),
    () => 7,
  )
  for (const message of ['a', 'b\n'])
    print({ diagnosticEvent: { message, color: 'raw', severity: 'info' } })
  print({ cancelEvent: {} })
  expect(lines).toMatchObject([
    { sequence: 0, timestamp: 7, diagnosticEvent: { message: 'a\n' } },
    { sequence: 1, timestamp: 7, diagnosticEvent: { message: 'b\n' } },
    { sequence: 2, timestamp: 7, cancelEvent: {} },
  ])
})

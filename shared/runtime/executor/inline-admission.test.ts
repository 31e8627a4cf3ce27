import { expect, test } from 'vitest'
import { limits } from '../../config/limits.ts'
import type { ChainMessage } from '../../ports/queue.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import { createInlineAdmission } from './inline-admission.ts'

const deployment = 'sim/dev 1' as DeploymentId
const messageOf = (...ids: number[]): ChainMessage => ({
  deployment,
  operations: ids as OperationId[],
  provider: 'p',
})

function openAdmission({ running = [] as number[], limitMs = 900_000, mayRun = true } = {}) {
  let nowMs = 0
  const admission = createInlineAdmission(
    { monotonicMs: () => nowMs },
    { operationsMax: 4, limitMs },
  )
  const runningIds = new Set(running as OperationId[])
  return {
    hasTime: admission.hasTime,
    divide: (...messages: ChainMessage[]) => admission.divide(messages, { runningIds, mayRun }),
    pass: (ms: number) => void (nowMs += ms),
  }
}

test('operations run in the process up to the maximum', () => {
  const { divide } = openAdmission({ running: [1, 2] })
  expect(divide(messageOf(3), messageOf(4))).toEqual({ inlineIds: [3, 4], queuedMessages: [] })
})

test('a send that exceeds the maximum goes to the queue as a whole', () => {
  const { divide } = openAdmission({ running: [1, 2] })
  const messages = [messageOf(3, 4), messageOf(5)]
  expect(divide(...messages)).toEqual({ inlineIds: [], queuedMessages: messages })
})

test('a wide deployment uses the queue until a pause has passed', () => {
  const { divide, pass } = openAdmission()
  divide(messageOf(1, 2, 3, 4, 5))
  pass(limits.inlinePauseMs - 1)
  expect(divide(messageOf(6)).inlineIds).toEqual([])
  pass(1)
  expect(divide(messageOf(7)).inlineIds).toEqual([7])
})

test('an operation that already runs in the process is not sent again', () => {
  const { divide } = openAdmission({ running: [1, 2] })
  expect(divide(messageOf(1), messageOf(2, 3))).toEqual({ inlineIds: [3], queuedMessages: [] })
})

test('an operation that two messages name runs once', () => {
  const { divide } = openAdmission()
  expect(divide(messageOf(1), messageOf(1)).inlineIds).toEqual([1])
})

test.each([{ pool: 'long' }, { pool: 'short' }, { delayMs: 1_000 }] as const)(
  'a message with %o goes to the queue, even for an operation that already runs in the process',
  fields => {
    const { divide } = openAdmission({ running: [1] })
    const message = { ...messageOf(1), ...fields }
    expect(divide(message, messageOf(2))).toEqual({ inlineIds: [2], queuedMessages: [message] })
  },
)

test('without permission to run, the queue gets all operations that do not run in the process yet', () => {
  const { divide } = openAdmission({ running: [1], mayRun: false })
  expect(divide(messageOf(1, 2))).toEqual({ inlineIds: [], queuedMessages: [messageOf(2)] })
})

test('no time for inline operations remains after a quarter of the time limit', () => {
  const { hasTime, pass } = openAdmission({ limitMs: 40_000 })
  pass(9_999)
  expect(hasTime()).toBe(true)
  pass(1)
  expect(hasTime()).toBe(false)
})

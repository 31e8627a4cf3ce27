import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ScalerCall } from '../../shared/platform/aws/call-scaler.ts'
import { decideTaskCount, type PoolState } from './decide-task-count.ts'

const idle: ScalerCall = { kind: 'idle', queue: 'nudges-long' }
const check: ScalerCall = { kind: 'check' }
const sent = (messages: number): ScalerCall => ({ kind: 'sent', queue: 'nudges-long', messages })
const emptyPool: PoolState = { desired: 0, running: 0, visible: 0, delayed: 0, held: 0 }
const tasksMax = 4

describe('the number of tasks', () => {
  test.each<[string, ScalerCall, Partial<PoolState>, number]>([
    ['is 1 for a message that SQS does not count yet', sent(1), {}, 1],
    ['is the number of messages', sent(1), { visible: 3 }, 3],
    [
      'counts messages in delivery and delayed ones',
      sent(1),
      { visible: 1, delayed: 1, held: 1 },
      3,
    ],
    ['is limited', sent(50), {}, 4],
    ['remains for a message that an idle task receives', sent(1), { desired: 1, running: 1 }, 1],
    ['is never lowered by a send', sent(1), { desired: 3 }, 3],
    ['is not lowered to a new limit during work', sent(1), { desired: 6 }, 6],
    [
      'grows if a message has met only busy tasks',
      check,
      { desired: 1, running: 1, visible: 1 },
      2,
    ],
    ['counts a busy task beyond the desired ones', check, { running: 1, visible: 1 }, 2],
    ['does not grow again while a task starts', check, { desired: 2, running: 1, visible: 1 }, 2],
    ['does not grow for a delayed message', check, { desired: 1, running: 1, delayed: 2 }, 1],
    ['is 1 for a delayed message that would find no task', check, { delayed: 2 }, 1],
    ['is 1 for a message whose task has died', check, { held: 2 }, 1],
    ['remains without messages', check, { desired: 2, running: 2 }, 2],
    ['is 0 when a task is idle and nothing waits', idle, { desired: 3, running: 3 }, 0],
    ['remains if another task has a message', idle, { desired: 3, running: 3, held: 1 }, 3],
    ['remains for a delayed message', idle, { desired: 1, running: 1, delayed: 1 }, 1],
  ])('%s', (_, call, state, count) => {
    expect(decideTaskCount(call, { ...emptyPool, ...state }, tasksMax)).toBe(count)
  })

  const number = fc.nat({ max: 20 })
  const states = fc.record({
    desired: number,
    running: number,
    visible: number,
    delayed: number,
    held: number,
  })
  const calls = fc.oneof(fc.constantFrom(idle, check), fc.integer({ min: 1, max: 20 }).map(sent))

  test('is at least 1 while the queue has messages, and after a send', () => {
    fc.assert(
      fc.property(states, calls, (state, call) => {
        const hasMessages = state.visible + state.delayed + state.held > 0
        // An idle task calls, so at least one task is desired.
        const validState = call.kind === 'idle' ? { ...state, desired: state.desired + 1 } : state
        const count = decideTaskCount(call, validState, tasksMax)
        if (hasMessages || call.kind === 'sent') expect(count).toBeGreaterThanOrEqual(1)
      }),
    )
  })

  test('is raised up to the limit only, and lowered only to 0 by an idle task', () => {
    fc.assert(
      fc.property(states, calls, (state, call) => {
        const count = decideTaskCount(call, state, tasksMax)
        expect(count).toBeLessThanOrEqual(Math.max(state.desired, tasksMax))
        if (count < state.desired) expect([call.kind, count]).toEqual(['idle', 0])
      }),
    )
  })

  test('does not change when the same call is repeated, as Lambda may do', () => {
    fc.assert(
      fc.property(states, calls, (state, call) => {
        const desired = decideTaskCount(call, state, tasksMax)
        expect(decideTaskCount(call, { ...state, desired }, tasksMax)).toBe(desired)
      }),
    )
  })
})

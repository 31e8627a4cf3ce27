import { expect, test } from 'vitest'
import { awsLimits } from '../../shared/config/aws-limits.ts'
import { createTaskActivity, endAfterUnreviewedRun } from './run-long-pool.ts'

/** Creates the activity of a generator task, with a record of its calls and a settable clock. */
function createActivity() {
  const state = { nowMs: 0, events: [] as unknown[], tick: (): void => undefined }
  const activity = createTaskActivity({
    clock: {
      monotonicMs: () => state.nowMs,
      repeat: (intervalMs, callback) => {
        expect(intervalMs).toBe(awsLimits.longPoolCheckMs)
        state.tick = callback
        return () => void state.events.push('checks end')
      },
    },
    callScaler: async call => void state.events.push(call),
    protection: { set: async isProtected => void state.events.push(isProtected) },
    queue: 'nudges-long',
  })
  return { state, activity }
}

test('a task is protected before its work begins, and calls the scaler while it works', async () => {
  const { state, activity } = createActivity()
  const work = activity.protectWhile(async () => {
    state.events.push('work')
    state.tick()
    throw new Error('failed')
  })
  await expect(work).rejects.toThrow('failed')
  expect(state.events).toEqual([true, 'work', { kind: 'check' }, 'checks end', false])
})

test('a task calls the scaler after each quarter of an hour without work', async () => {
  const { state, activity } = createActivity()
  const idle = { kind: 'idle', queue: 'nudges-long' }
  state.nowMs = awsLimits.longPoolIdleMs - 1
  await activity.reportIdle()
  expect(state.events).toEqual([])
  await activity.protectWhile(async () => undefined)
  state.events.splice(0)
  state.nowMs += awsLimits.longPoolIdleMs - 1
  await activity.reportIdle()
  expect(state.events).toEqual([])
  state.nowMs += 1
  await activity.reportIdle()
  await activity.reportIdle()
  expect(state.events.splice(0)).toEqual([idle])
  state.nowMs += awsLimits.longPoolIdleMs
  await activity.reportIdle()
  expect(state.events).toEqual([idle])
})

test('a stopped task makes the scaler check, because a message may have arrived meanwhile', async () => {
  const { state, activity } = createActivity()
  await activity.reportEnd()
  expect(state.events).toEqual([{ kind: 'check' }])
})

test.each([
  [true, [{ kind: 'check' }, 'flush', 'end']],
  [false, []],
])(
  'a task ends after an unreviewed preview only, and makes the scaler check first: %s',
  async (hasRun, events) => {
    const { state, activity } = createActivity()
    await endAfterUnreviewedRun(
      {
        hasRunUnreviewed: () => hasRun,
        endEnvironment: () => void state.events.push('end'),
      },
      {
        telemetry: { flush: async () => void state.events.push('flush') },
        reportEnd: activity.reportEnd,
      },
    )
    expect(state.events).toEqual(events)
  },
)

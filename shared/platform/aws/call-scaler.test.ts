import { expect, test } from 'vitest'
import { awsLimits } from '../../config/aws-limits.ts'
import { createScalerCaller, scalerCallForm } from './call-scaler.ts'

const functionArn = 'arn:aws:lambda:eu-central-1:111122223333:function:antichain-scaler'
const sent = { kind: 'sent', queue: 'chains-long', messages: 1 } as const

/** Creates a caller over a client that records calls, and fails while `isFailing` is set. */
function createCaller() {
  const state = { nowMs: 0, isFailing: false, calls: [] as unknown[], logged: [] as unknown[] }
  const call = createScalerCaller({
    functionArn,
    lambda: {
      send: async ({ input }: { readonly input: Readonly<Record<string, unknown>> }) => {
        if (state.isFailing) throw new Error('throttled')
        const { Payload, ...others } = input
        const payload: unknown = JSON.parse(Buffer.from(Payload as Uint8Array).toString())
        state.calls.push({ ...others, payload })
        return {}
      },
    } as never,
    clock: { monotonicMs: () => state.nowMs },
    logger: { write: (...entry) => void state.logged.push(entry) },
  })
  return { state, call }
}

test('the scaler is called without waiting for its result, in its own form', async () => {
  const { state, call } = createCaller()
  await call(sent)
  expect(state.calls).toEqual([
    { FunctionName: functionArn, InvocationType: 'Event', payload: sent },
  ])
  expect(scalerCallForm.parse(sent)).toEqual(sent)
})

test('many sends in a short time are one call for each queue, so that ECS is not throttled', async () => {
  const { state, call } = createCaller()
  for (let count = 0; count < 100; count += 1) await call(sent)
  await call({ ...sent, queue: 'nudges-long' })
  expect(state.calls).toHaveLength(2)
  state.nowMs = awsLimits.scalerPauseMs
  await call(sent)
  expect(state.calls).toHaveLength(3)
})

test('a failed call is logged and does not fail the send, and the next send calls again', async () => {
  const { state, call } = createCaller()
  state.isFailing = true
  await call(sent)
  expect(state.logged).toEqual([
    ['warn', 'scaler.uncalled', { kind: 'sent', message: 'throttled' }],
  ])
  state.isFailing = false
  await call(sent)
  expect(state.calls).toHaveLength(1)
})

test('calls of tasks are never omitted', async () => {
  const { state, call } = createCaller()
  for (const repeated of [{ kind: 'check' }, { kind: 'idle', queue: 'nudges-long' }] as const)
    for (let count = 0; count < 2; count += 1) await call(repeated)
  expect(state.calls).toHaveLength(4)
})

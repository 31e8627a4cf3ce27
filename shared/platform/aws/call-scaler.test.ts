import { expect, test } from 'vitest'
import { awsLimits } from '../../config/aws-limits.ts'
import { createScalerCaller, scalerCallForm } from './call-scaler.ts'

const functionArn = 'arn:aws:lambda:eu-central-1:111122223333:function:antichain-scaler'
const sent = { kind: 'sent', queue: 'chains-long', messages: 1 } as const

/** Creates a caller over a client that records calls, and fails while `isFailing` is set. */
function createCaller() {
  const state = {
    isFailing: false,
    calls: [] as unknown[],
    logged: [] as unknown[],
    /** Ends the pauses that have begun, and waits until the calls after them are sent. */
    endPauses: async (): Promise<void> => undefined,
  }
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
    clock: {
      sleep: async ms => {
        expect(ms).toBe(awsLimits.scalerPauseMs)
        await new Promise<void>(resolve => {
          const { endPauses } = state
          state.endPauses = async () => {
            await endPauses()
            resolve()
            await new Promise(setImmediate)
          }
        })
      },
    },
    logger: { write: (...entry) => void state.logged.push(entry) },
  })
  return { state, call }
}

test('the scaler is called with a payload of its form, and its result is not awaited', async () => {
  const { state, call } = createCaller()
  await call(sent)
  expect(state.calls).toEqual([
    { FunctionName: functionArn, InvocationType: 'Event', payload: sent },
  ])
  expect(scalerCallForm.parse(sent)).toEqual(sent)
})

test('many sends to a queue in a short time, also simultaneous ones, lead to one call', async () => {
  const { state, call } = createCaller()
  await Promise.all(Array.from({ length: 100 }, () => call(sent)))
  await call(sent)
  await call({ ...sent, queue: 'nudges-long' })
  expect(state.calls).toHaveLength(2)
})

test('the sends during a pause lead to one call at its end, because the scaler may have removed idle tasks', async () => {
  const { state, call } = createCaller()
  for (const messages of [1, 2, 3]) await call({ ...sent, messages })
  await call({ ...sent, queue: 'nudges-long' })
  state.calls.splice(0)
  await state.endPauses()
  expect(state.calls).toEqual([expect.objectContaining({ payload: { ...sent, messages: 5 } })])
  // This call begins a pause of its own, and the other queue has none.
  await call(sent)
  await call({ ...sent, queue: 'nudges-long' })
  expect(state.calls).toHaveLength(2)
  await state.endPauses()
  await state.endPauses()
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

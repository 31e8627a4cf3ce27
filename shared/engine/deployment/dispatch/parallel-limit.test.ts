import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { DeploymentOptions } from '../../../records/log.ts'
import type { EndListener } from '../ends/end-watcher.ts'
import type { OperationId } from '../../../records/ids.ts'
import {
  createChainSlots,
  createProcessSlots,
  deliveryLimitOf,
  planLimitOf,
} from './parallel-limit.ts'

// A wrong limit would let more operations run than `--parallel` allows, or limit them twice.
test.each([
  ['here', 4, undefined, {}],
  ['elsewhere', 4, 4, {}],
  ['elsewhere', 0, 1, {}],
  ['functions', 4, undefined, { concurrencyMax: 4 }],
  ['functions', 0, undefined, { concurrencyMax: 1 }],
] as const)('execute %s with --parallel %i limits the queue to %s, and plans to %o', (...row) => {
  const [execute, parallel, queueLimit, planLimit] = row
  const options = { execute, parallel } as DeploymentOptions
  expect(deliveryLimitOf(options)).toBe(queueLimit)
  expect(planLimitOf({ options })).toEqual(planLimit)
})

// Without a slot, no operation would ever begin.
test('createProcessSlots creates one slot for --parallel 0', async () => {
  const slots = createProcessSlots({ parallel: 0 })
  await slots.acquire({ beginsEarly: false })
  let isSecondHeld = false
  void slots.acquire({ beginsEarly: false }).then(() => (isSecondHeld = true))
  await nextTurn()
  expect(isSecondHeld).toBe(false)
})

const functionOptions = { execute: 'functions', parallel: 2 } as DeploymentOptions

/** Creates two slots. The operations 1 and 2 are running when the generator begins. */
function createResumedSlots() {
  let listener: EndListener | undefined
  const watcher = { watch: (_ids: unknown, added: EndListener) => void (listener = added) }
  const runningIds = [1, 2] as OperationId[]
  const slots = createChainSlots({ options: functionOptions }, runningIds, watcher)
  if (slots === undefined || listener === undefined) throw new Error('there are no slots')
  return { slots, listener }
}

/** Acquires a slot, and returns a function that reports whether the slot is held. */
function startChain(
  slots: NonNullable<ReturnType<typeof createChainSlots>>,
  ...ids: readonly number[]
): () => boolean {
  let isHeld = false
  void slots.acquire(ids as OperationId[]).then(() => (isHeld = true))
  return () => isHeld
}

// A program that runs again may register a new resource before one whose operation is running.
test('createChainSlots keeps the slot of a running operation until its chain takes the slot', async () => {
  const { slots } = createResumedSlots()
  const isNewHeld = startChain(slots, 3)
  const isFirstHeld = startChain(slots, 1)
  await nextTurn()
  expect([isNewHeld(), isFirstHeld()]).toEqual([false, true])
})

// Otherwise a program that does not register the resource again would wait for ever.
test.each([
  ['ends', (listener: EndListener) => listener.onEnd(2 as OperationId, {} as never)],
  ['cannot be read', (listener: EndListener) => listener.onFailed(new Error('no store'))],
])('createChainSlots releases the slot of a running operation that %s', async (_name, report) => {
  const { slots, listener } = createResumedSlots()
  const isNewHeld = startChain(slots, 3)
  report(listener)
  await nextTurn()
  expect(isNewHeld()).toBe(true)
})

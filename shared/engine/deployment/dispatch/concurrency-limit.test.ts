import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { DeploymentOptions } from '../../../records/log.ts'
import { createProcessSlots, deliveryLimitOf, planLimitOf } from './concurrency-limit.ts'

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

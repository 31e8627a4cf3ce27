import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OperationsPort } from '../../shared/ports/records.ts'
import { barrier, next, one, openStage, type OnStage, type Stage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const verdictsOf = async ({ headOf }: OnStage): Promise<readonly unknown[]> =>
  Promise.all([one, barrier, next].map(async id => (await headOf(id))?.end?.verdict))
const allSucceeded = ['succeeded', 'succeeded', 'succeeded']

describe('an operation is begun and given back uncalled', () => {
  test('when its deployment was stopped', async () => {
    const running = await stage.opened()
    await stage.platform.control.stop(running.deployment, 'graceful')
    await running.deliver(1)
    expect(await running.headOf(one)).toMatchObject({ owner: '', attempt: 1, givenBack: 1 })
    expect(running.told).toEqual([])
  })

  test('when its deployment was closed', async () => {
    const running = await stage.opened()
    await stage.platform.control.close(running.deployment)
    await running.deliver(1)
    expect(await running.headOf(one)).toMatchObject({ owner: '', attempt: 1, givenBack: 1 })
  })

  test('when nobody says that its deployment runs', async () => {
    const running = await stage.opened({ control: { read: async () => undefined } })
    await running.deliver(1)
    expect(await running.headOf(one)).toMatchObject({ owner: '', attempt: 1, givenBack: 1 })
  })

  test('when the executor may have lost its lease', async () => {
    const running = await stage.opened({ holdsLease: () => false })
    await running.deliver(1)
    expect(await running.headOf(one)).toMatchObject({ owner: '', attempt: 1, givenBack: 1 })
    expect(running.told).toEqual([])
  })
})

test('what does not fit into the time of an executor is sent on', async () => {
  for (const [admission, pool] of [
    ['later', undefined],
    ['long', 'long'],
  ] as const) {
    const running = await stage.opened({ admission })
    const { deployment } = running
    await running.deliver(1)
    const [delivery] = await stage.platform.chains.receive(1, 1_000, { deployment })
    expect(delivery?.message).toMatchObject({ operations: [one] })
    expect(delivery?.message.pool).toBe(pool)
    expect(await running.headOf(one)).toBeUndefined()
  }
})

describe('an end', () => {
  test('releases what waits, over joins, without the sweep', async () => {
    const running = await stage.opened()
    await running.deliver(1)
    expect(await verdictsOf(running)).toEqual(allSucceeded)
  })

  test('that released nobody does so when its message comes again', async () => {
    const { arrive } = stage.platform.operations
    let isAway = true
    const failing: OperationsPort['arrive'] = (...asked) =>
      isAway ? Promise.reject(new TypeError('a stone')) : arrive(...asked)
    const running = await stage.opened({ operations: { arrive: failing } })
    await expect(running.deliver(1)).rejects.toThrow('a stone')
    expect(await verdictsOf(running)).toEqual(['succeeded', undefined, undefined])
    isAway = false
    await running.deliver(2)
    expect(await verdictsOf(running)).toEqual(allSucceeded)
    expect(running.told).toHaveLength(2)
  })

  test('that was followed by one that released nobody does so for it, too', async () => {
    const { arrive } = stage.platform.operations
    let isAway = true
    const failing: OperationsPort['arrive'] = (deployment, to, from) =>
      isAway && to === next
        ? Promise.reject(new TypeError('a stone'))
        : arrive(deployment, to, from)
    const running = await stage.opened({ operations: { arrive: failing } })
    await expect(running.deliver(1)).rejects.toThrow('a stone')
    expect(await verdictsOf(running)).toEqual(['succeeded', 'succeeded', undefined])
    isAway = false
    await running.deliver(2)
    expect(await verdictsOf(running)).toEqual(allSucceeded)
  })
})

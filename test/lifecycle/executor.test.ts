import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OperationsPort } from '../../shared/ports/records.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import {
  barrierId,
  createOperation,
  secondId,
  firstId,
  openExecutorHarness,
  type HarnessDeployment,
  type ExecutorHarness,
} from './executor-harness.ts'

let harness: ExecutorHarness
beforeAll(async () => {
  harness = await openExecutorHarness()
})
afterAll(() => harness.close())

const verdictsOf = async ({ headOf }: HarnessDeployment): Promise<readonly unknown[]> =>
  Promise.all([firstId, barrierId, secondId].map(async id => (await headOf(id))?.end?.verdict))
const allSucceeded = ['succeeded', 'succeeded', 'succeeded']

describe('an operation is begun and given back without a call', () => {
  test('when its deployment was stopped', async () => {
    const running = await harness.openDeployment()
    await harness.platform.control.stop(running.deployment, 'graceful')
    await running.deliver(1)
    expect(await running.headOf(firstId)).toMatchObject({ owner: '', attempt: 1, givenBack: 1 })
    expect(running.reported).toEqual([])
  })

  test('when its deployment was closed', async () => {
    const running = await harness.openDeployment()
    await harness.platform.control.close(running.deployment)
    await running.deliver(1)
    expect(await running.headOf(firstId)).toMatchObject({ owner: '', attempt: 1, givenBack: 1 })
  })

  test('when its control record does not exist', async () => {
    const running = await harness.openDeployment({ control: { read: async () => undefined } })
    await running.deliver(1)
    expect(await running.headOf(firstId)).toMatchObject({ owner: '', attempt: 1, givenBack: 1 })
  })

  test('when the executor may have lost its lease', async () => {
    const running = await harness.openDeployment({ holdsLease: () => false })
    await running.deliver(1)
    expect(await running.headOf(firstId)).toMatchObject({ owner: '', attempt: 1, givenBack: 1 })
    expect(running.reported).toEqual([])
  })
})

test('an operation that does not fit into the time of an executor is sent on', async () => {
  for (const [admission, pool] of [
    ['later', undefined],
    ['long', 'long'],
  ] as const) {
    const running = await harness.openDeployment({ admission })
    const { deployment } = running
    await running.deliver(1)
    const [delivery] = await harness.platform.chains.receive(1, 1_000, { deployment })
    expect(delivery?.message).toMatchObject({ operations: [firstId] })
    expect(delivery?.message.pool).toBe(pool)
    expect(await running.headOf(firstId)).toBeUndefined()
  }
})

describe('an end', () => {
  test('releases waiting operations, through joins, without a sweep', async () => {
    const running = await harness.openDeployment()
    await running.deliver(1)
    expect(await verdictsOf(running)).toEqual(allSucceeded)
  })

  test('whose arrivals were not recorded records them when its message is delivered again', async () => {
    const { arrive } = harness.platform.operations
    let isUnavailable = true
    const failWhileUnavailable: OperationsPort['arrive'] = (...args) =>
      isUnavailable ? Promise.reject(new TypeError('a stone')) : arrive(...args)
    const running = await harness.openDeployment({ operations: { arrive: failWhileUnavailable } })
    await expect(running.deliver(1)).rejects.toThrow('a stone')
    expect(await verdictsOf(running)).toEqual(['succeeded', undefined, undefined])
    isUnavailable = false
    await running.deliver(2)
    expect(await verdictsOf(running)).toEqual(allSucceeded)
    expect(running.reported).toHaveLength(2)
  })

  test('that is delivered again sends no operation whose message still waits', async () => {
    const ids = [1, 2, 3, 4, 5] as OperationId[]
    const [one, two, join, three, four] = ids as [
      OperationId,
      OperationId,
      OperationId,
      OperationId,
      OperationId,
    ]
    const plannedOperations = [
      ...[one, two].map(id => createOperation(id, { barrier: join })),
      createOperation(join, { op: 'join', needs: 2, releases: [three, four] }),
      ...[three, four].map(id => createOperation(id, { needs: 1 })),
    ]
    const running = await harness.openDeployment({ plannedOperations })
    const { deployment } = running
    for (const id of [one, two]) await running.deliver(1, id)
    for (const id of [one, two, one, two]) await running.deliver(2, id)
    const deliveries = await harness.platform.chains.receive(10, 1_000, { deployment })
    expect(deliveries.map(({ message }) => message.operations)).toEqual([[three, four]])
  })

  test('whose successor did not begin continues with it when its message is delivered again', async () => {
    const { begin } = harness.platform.operations
    let isUnavailable = true
    const failWhileUnavailable: OperationsPort['begin'] = (deployment, id, ...rest) =>
      isUnavailable && id === secondId
        ? Promise.reject(new TypeError('a stone'))
        : begin(deployment, id, ...rest)
    const running = await harness.openDeployment({ operations: { begin: failWhileUnavailable } })
    await expect(running.deliver(1)).rejects.toThrow('a stone')
    expect(await verdictsOf(running)).toEqual(['succeeded', 'succeeded', undefined])
    isUnavailable = false
    await running.deliver(2)
    expect(await verdictsOf(running)).toEqual(allSucceeded)
  })

  test('whose successor recorded no arrivals records them when the message is delivered again', async () => {
    const { arrive } = harness.platform.operations
    let isUnavailable = true
    const failWhileUnavailable: OperationsPort['arrive'] = (deployment, to, from) =>
      isUnavailable && to === secondId
        ? Promise.reject(new TypeError('a stone'))
        : arrive(deployment, to, from)
    const running = await harness.openDeployment({ operations: { arrive: failWhileUnavailable } })
    await expect(running.deliver(1)).rejects.toThrow('a stone')
    expect(await verdictsOf(running)).toEqual(['succeeded', 'succeeded', undefined])
    isUnavailable = false
    await running.deliver(2)
    expect(await verdictsOf(running)).toEqual(allSucceeded)
  })
})

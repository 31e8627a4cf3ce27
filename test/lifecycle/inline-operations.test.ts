import { afterEach, expect, test } from 'vitest'
import type { DeploymentId, OperationId } from '../../shared/records/ids.ts'
import { createCloud } from './cloud.ts'
import { createThings } from './register-thing.ts'
import { openFunctions, type TestFunctions } from './test-functions.ts'
import { ProcessKilledError } from './test-process.ts'

let functions: TestFunctions | undefined

afterEach(async () => {
  await functions?.close()
  functions = undefined
})

/** Opens functions with a requested deployment that creates `count` resources. */
async function openRequested(count: number, delayMs = 0): Promise<TestFunctions> {
  const things = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`t${index}`, { v: 1 }]),
  )
  functions = await openFunctions(createCloud(delayMs), createThings(things))
  await functions.requestDeployment('k')
  return functions
}

const inlineOptions = { limitMs: 60_000, inlineOperationsMax: 4 } as const

async function readResults({ platform, stack }: TestFunctions): Promise<unknown> {
  return (await platform.catalog.listHistory(stack, 10)).map(({ result }) => result)
}

test('a generator completes a narrow deployment without an executor, and reports each step once', async () => {
  const functions = await openRequested(3)
  expect(await functions.runGenerator({}, inlineOptions)).toBe('ended')
  expect(functions.cloud.mutatingCalls.toSorted()).toEqual(['create t0', 'create t1', 'create t2'])
  const deployment = `${functions.stack}/1` as DeploymentId
  expect(await functions.platform.chains.receive(10, 0, { deployment })).toEqual([])
  const { events } = await functions.platform.events.read(deployment, 0, 1_000)
  for (const kind of ['resourcePreEvent', 'resOutputsEvent'])
    expect(events.filter(line => line.includes(kind) && line.includes('::t0"'))).toHaveLength(1)
  const leases = await functions.platform.leases.list(deployment)
  expect(leases).toHaveLength(2)
  expect(leases.every(({ retired }) => retired)).toBe(true)
})

test('a generator without a time limit leaves all operations to executors', async () => {
  const functions = await openRequested(3)
  const shutdown = new AbortController()
  const generation = functions.runGenerator(
    {},
    { inlineOperationsMax: 4, handOverSignal: shutdown.signal },
  )
  const deployment = `${functions.stack}/1` as DeploymentId
  const deliveries = await functions.platform.chains.receive(10, 20_000, { deployment })
  expect(deliveries).not.toEqual([])
  expect(functions.cloud.mutatingCalls).toEqual([])
  shutdown.abort()
  expect(await generation).toBe('handed over')
})

test('a wide deployment is completed by executors and its generator', async () => {
  const functions = await openRequested(12, 200)
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  expect(await functions.runToIdle(inlineOptions)).toContain('ended')
  expect(functions.cloud.mutatingCalls).toHaveLength(12)
  expect(await readResults(functions)).toEqual(['succeeded'])
})

test('a generator does not park while it runs an operation', async () => {
  const functions = await openRequested(1, 4_000)
  // A generator parks after three seconds without a decision, unless it runs an operation.
  expect(await functions.runGenerator({}, { limitMs: 12_000, inlineOperationsMax: 4 })).toBe(
    'ended',
  )
  expect(functions.cloud.mutatingCalls).toEqual(['create t0'])
})

test('a hand-over waits for the operations of the generator', async () => {
  const functions = await openRequested(3, 1_500)
  const shutdown = new AbortController()
  const generation = functions.runGenerator(
    {},
    { ...inlineOptions, handOverSignal: shutdown.signal },
  )
  const { operations } = functions.platform
  const ids = Array.from({ length: 10 }, (_, index) => index as OperationId)
  const isBegun = async (): Promise<boolean> => {
    const heads = await operations.getHeads(`${functions.stack}/1` as DeploymentId, ids)
    return [...heads.values()].some(({ owner }) => owner !== '')
  }
  await expect.poll(isBegun, { timeout: 20_000 }).toBe(true)
  shutdown.abort()
  expect(await generation).toBe('handed over')
  expect(await functions.runToIdle(inlineOptions)).toContain('ended')
  expect(functions.cloud.mutatingCalls.toSorted()).toEqual(['create t0', 'create t1', 'create t2'])
  expect(await readResults(functions)).toEqual(['succeeded'])
})

test.each([
  ['before', 'operations.begin'],
  ['after', 'operations.select'],
] as const)(
  'a generator that dies %s %s of its own operation loses nothing',
  async (when, call) => {
    const functions = await openRequested(1)
    const kill = { effect: 1, call, when } as const
    await expect(functions.runGenerator({}, { ...inlineOptions, kill })).rejects.toThrow(
      ProcessKilledError,
    )
    // The first nudge notes the dead holder. A later one finds its lease unchanged and takes over.
    expect(await functions.runGenerator(functions.nudges.shift(), inlineOptions)).toBe('held')
    expect(await functions.runToIdle(inlineOptions)).toContain('ended')
    expect(functions.cloud.mutatingCalls).toEqual(['create t0'])
    expect(await readResults(functions)).toEqual(['succeeded'])
  },
)

import { afterEach, expect, test } from 'vitest'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/read-snapshot-blob.ts'
import { createError } from '../../shared/errors/error.ts'
import type { OperationsPort } from '../../shared/ports/records.ts'
import { createCloud } from './cloud.ts'
import type { Program, TestEngine } from './engine.ts'
import { createEngines, getTestStack, registerThing } from './register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const bothProgram: Program = async monitor => {
  await Promise.all([registerThing(monitor, 'a', { v: 1 }), registerThing(monitor, 'b', { v: 1 })])
}

const refusal = createError('STORE_UNAVAILABLE', 'the disk is full')

type BeginArguments = Parameters<OperationsPort['begin']>

/** Lets the second operation that begins fail while the create of the first one runs. */
function failSecondBegin(
  times: number,
  onFailure: (operations: OperationsPort, ...args: BeginArguments) => unknown = () => undefined,
): (operations: OperationsPort) => OperationsPort {
  const seen: BeginArguments[1][] = []
  let refusals = 0
  return operations => ({
    ...operations,
    async begin(...args) {
      if (!seen.includes(args[1])) seen.push(args[1])
      if (seen.indexOf(args[1]) !== 1 || refusals >= times) return operations.begin(...args)
      refusals += 1
      await onFailure(operations, ...args)
      throw refusal
    },
  })
}

/** Executors retry an unavailable store for twenty seconds. Here this time passes faster. */
const fastRetries = { parallel: 2, timeFactor: 8 }

async function readPublished({
  platform,
}: TestEngine): Promise<{ ids: unknown[]; pending: number }> {
  const { snapshot } = await getTestStack(platform)
  const state = await readSnapshotBlob(platform.blobs, snapshot)
  const things = (state.resources ?? []).filter(({ type }) => type === 'test:index:Thing')
  return { ids: things.map(({ id }) => id), pending: (state.pending_operations ?? []).length }
}

test('an operation that cannot begin does not affect running ones', async () => {
  const cloud = createCloud(3_000)
  const engine = await engines.open(cloud)
  const injectOperationFaults = failSecondBegin(Infinity)
  await expect(engine.run(bothProgram, { ...fastRetries, injectOperationFaults })).rejects.toThrow(
    'disk is full',
  )
  expect(cloud.mutatingCalls).toHaveLength(1)
  expect(await readPublished(engine)).toEqual({ ids: [...cloud.objects.keys()], pending: 0 })
}, 240_000)

test('a begin whose reply was lost is given back without a provider call, and nothing is pending', async () => {
  const cloud = createCloud(300)
  const engine = await engines.open(cloud)
  const injectOperationFaults = failSecondBegin(Infinity, (operations, ...args) =>
    operations.begin(...args),
  )
  await expect(engine.run(bothProgram, { ...fastRetries, injectOperationFaults })).rejects.toThrow(
    'disk is full',
  )
  expect(cloud.mutatingCalls).toHaveLength(1)
  expect(await readPublished(engine)).toEqual({ ids: [...cloud.objects.keys()], pending: 0 })
}, 240_000)

test('a begin that the store refuses temporarily is retried, and the provider is called once', async () => {
  for (const takesEffect of [false, true]) {
    const cloud = createCloud(300)
    const engine = await engines.open(cloud)
    const injectOperationFaults = failSecondBegin(2, (operations, ...args) =>
      takesEffect ? operations.begin(...args) : undefined,
    )
    const { result } = await engine.run(bothProgram, { parallel: 2, injectOperationFaults })
    expect(result.result).toBe('succeeded')
    expect(cloud.mutatingCalls).toHaveLength(2)
    expect(await readPublished(engine)).toMatchObject({ pending: 0 })
  }
})

import { afterEach, expect, test } from 'vitest'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/snapshot-blob.ts'
import { error } from '../../shared/errors/error.ts'
import type { OperationsPort } from '../../shared/ports/records.ts'
import { createCloud } from './cloud.ts'
import type { Program, TestEngine } from './engine.ts'
import { createEngines, stackOf, thing } from './things.ts'

const engines = createEngines()
afterEach(() => engines.close())

const both: Program = async monitor => {
  await Promise.all([thing(monitor, 'a', { v: 1 }), thing(monitor, 'b', { v: 1 })])
}

const refusal = error('STORE_UNAVAILABLE', 'the disk is full')

type Begin = Parameters<OperationsPort['begin']>

/** Operations of which the second that is to begin cannot: the first thing's create runs then. */
function secondBegin(
  times: number,
  fails: (operations: OperationsPort, ...asked: Begin) => unknown = () => undefined,
): (operations: OperationsPort) => OperationsPort {
  const seen: Begin[1][] = []
  let refusals = 0
  return operations => ({
    ...operations,
    async begin(...asked) {
      if (!seen.includes(asked[1])) seen.push(asked[1])
      if (seen.indexOf(asked[1]) !== 1 || refusals >= times) return operations.begin(...asked)
      refusals += 1
      await fails(operations, ...asked)
      throw refusal
    },
  })
}

/** A store that stays away is asked for twenty seconds, which pass quickly here. */
const forGood = { parallel: 2, haste: 8 }

async function published({ platform }: TestEngine): Promise<{ ids: unknown[]; pending: number }> {
  const { snapshot } = await stackOf(platform)
  const state = await readSnapshotBlob(platform.blobs, snapshot)
  const things = (state.resources ?? []).filter(({ type }) => type === 'test:index:Thing')
  return { ids: things.map(({ id }) => id), pending: (state.pending_operations ?? []).length }
}

test('an operation that could not begin takes nothing away from those that run', async () => {
  const cloud = createCloud(3_000)
  const engine = await engines.of(cloud)
  const disturbed = secondBegin(Infinity)
  await expect(engine.run(both, { ...forGood, disturbed })).rejects.toThrow('disk is full')
  expect(cloud.log).toHaveLength(1)
  expect(await published(engine)).toEqual({ ids: [...cloud.objects.keys()], pending: 0 })
}, 240_000)

test('a begin whose answer was lost is given back: nobody is asked, nothing is pending', async () => {
  const cloud = createCloud(300)
  const engine = await engines.of(cloud)
  const disturbed = secondBegin(Infinity, (operations, ...asked) => operations.begin(...asked))
  await expect(engine.run(both, { ...forGood, disturbed })).rejects.toThrow('disk is full')
  expect(cloud.log).toHaveLength(1)
  expect(await published(engine)).toEqual({ ids: [...cloud.objects.keys()], pending: 0 })
}, 240_000)

test('a begin that the store refuses for a moment is asked again, and called once', async () => {
  for (const isDone of [false, true]) {
    const cloud = createCloud(300)
    const engine = await engines.of(cloud)
    const disturbed = secondBegin(2, (operations, ...asked) =>
      isDone ? operations.begin(...asked) : undefined,
    )
    const { result } = await engine.run(both, { parallel: 2, disturbed })
    expect(result.result).toBe('succeeded')
    expect(cloud.log).toHaveLength(2)
    expect(await published(engine)).toMatchObject({ pending: 0 })
  }
})

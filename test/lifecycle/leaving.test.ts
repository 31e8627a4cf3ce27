import { afterEach, expect, test } from 'vitest'
import { readSnapshotBlob } from '../../shared/engine/deployment/snapshot-blob.ts'
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

/** Operations whose second begin fails: the first thing's create runs then. */
function secondBegin(
  fails: (operations: OperationsPort, ...asked: Parameters<OperationsPort['begin']>) => unknown,
): (operations: OperationsPort) => OperationsPort {
  let begins = 0
  return operations => ({
    ...operations,
    async begin(...asked) {
      begins += 1
      if (begins !== 2) return operations.begin(...asked)
      await fails(operations, ...asked)
      throw refusal
    },
  })
}

async function published({ platform }: TestEngine): Promise<{ ids: unknown[]; pending: number }> {
  const { snapshot } = await stackOf(platform)
  const state = await readSnapshotBlob(platform.blobs, snapshot)
  const things = (state.resources ?? []).filter(({ type }) => type === 'test:index:Thing')
  return { ids: things.map(({ id }) => id), pending: (state.pending_operations ?? []).length }
}

test('an operation that could not begin takes nothing away from those that run', async () => {
  const cloud = createCloud(300)
  const engine = await engines.of(cloud)
  const disturbed = secondBegin(() => undefined)
  await expect(engine.run(both, { parallel: 2, disturbed })).rejects.toThrow('disk is full')
  expect(cloud.log).toHaveLength(1)
  expect(await published(engine)).toEqual({ ids: [...cloud.objects.keys()], pending: 0 })
})

test('a begin whose answer was lost is given back: nobody is asked, nothing is pending', async () => {
  const cloud = createCloud(300)
  const engine = await engines.of(cloud)
  const disturbed = secondBegin((operations, ...asked) => operations.begin(...asked))
  await expect(engine.run(both, { parallel: 2, disturbed })).rejects.toThrow('disk is full')
  expect(cloud.log).toHaveLength(1)
  expect(await published(engine)).toEqual({ ids: [...cloud.objects.keys()], pending: 0 })
})

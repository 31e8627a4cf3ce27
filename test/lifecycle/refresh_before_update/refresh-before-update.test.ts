import { afterEach, expect, test } from 'vitest'
import { CreateResponse, ReadResponse, UpdateResponse } from '../../../proto/gen/pulumi/provider.ts'
import type {
  CreateRequest,
  ReadRequest,
  UpdateRequest,
} from '../../../proto/gen/pulumi/provider.ts'
import { createCloud } from '../cloud.ts'
import { statesOf, stepsOf } from '../run-events.ts'
import { createEngines, createThings } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/**
 * Opens an engine whose provider requests a refresh before each update. Reads return a value with
 * the number `fresh` of `cloudObject`.
 */
async function openFlagged() {
  const cloud = createCloud()
  const updates: UpdateRequest[] = []
  const cloudObject = { fresh: 1, isGone: false }
  const flag = { refreshBeforeUpdate: true }
  const script = {
    ...cloud.script,
    create: ({ properties = {} }: CreateRequest) =>
      CreateResponse.create({ id: 'x', properties, ...flag }),
    update: (request: UpdateRequest) => {
      if (!request.preview) updates.push(request)
      return UpdateResponse.create({ properties: request.news ?? {}, ...flag })
    },
    read: ({ id }: ReadRequest) => {
      const freshProperties = { v: `fresh-${cloudObject.fresh}` }
      if (cloudObject.isGone) return ReadResponse.create({})
      return ReadResponse.create({
        id,
        properties: freshProperties,
        inputs: freshProperties,
        ...flag,
      })
    },
  }
  return { engine: await engines.open({ ...cloud, script }), updates, cloudObject }
}

test('TestRefreshBeforeUpdate: a resource with refreshBeforeUpdate is read before its update, in previews, too', async () => {
  const { engine, updates, cloudObject } = await openFlagged()
  const first = await engine.run(createThings({ a: { v: 'one' } }))
  expect(statesOf(first, 'a')).toMatchObject([{ refreshBeforeUpdate: true, inputs: { v: 'one' } }])
  const shown = await engine.run(createThings({ a: { v: 'two' } }), { dryRun: true })
  expect(stepsOf(shown)).toEqual(['refresh a', 'update a'])
  const second = await engine.run(createThings({ a: { v: 'two' } }))
  expect(stepsOf(second)).toEqual(['refresh a', 'update a'])
  expect(updates.at(-1)).toMatchObject({ oldInputs: { v: 'fresh-1' }, olds: { v: 'fresh-1' } })
  cloudObject.fresh = 2
  // Only the cloud changed, not the program.
  const third = await engine.run(createThings({ a: { v: 'two' } }))
  expect(stepsOf(third)).toEqual(['refresh a', 'update a'])
  expect(updates.at(-1)).toMatchObject({ oldInputs: { v: 'fresh-2' } })
  const refreshed = await engine.run(undefined, { command: 'refresh' })
  expect(statesOf(refreshed, 'a')).toMatchObject([
    { refreshBeforeUpdate: true, inputs: { v: 'fresh-2' } },
  ])
  const one = { type: 'test:index:Thing', name: 'b', id: 'y', parent: '', provider: '' } as const
  const more = { version: '', pluginDownloadUrl: '', protect: true, isChosen: false } as const
  const imports = [{ ...one, ...more, component: 'no' as const }]
  const imported = await engine.run(undefined, { command: 'import', imports })
  expect(statesOf(imported, 'b')).toMatchObject([
    { refreshBeforeUpdate: true, inputs: { v: 'fresh-2' } },
  ])
  expect(statesOf(imported, 'a')).toEqual(statesOf(refreshed, 'a'))
})

test('TestRefreshBeforeUpdateDeletedResource: a missing resource is created again', async () => {
  const { engine, cloudObject } = await openFlagged()
  await engine.run(createThings({ a: { v: 'one' } }))
  cloudObject.isGone = true
  const testRun = await engine.run(createThings({ a: { v: 'one' } }))
  expect(stepsOf(testRun)).toEqual(['refresh a', 'create a'])
  expect(statesOf(testRun, 'a')).toHaveLength(1)
})

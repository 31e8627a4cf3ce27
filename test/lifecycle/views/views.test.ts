import { afterEach, expect, test } from 'vitest'
import { trimmedErrorsOf } from '../components.ts'
import { createEngines, createThings } from '../register-thing.ts'
import {
  Op,
  createViewEngineOpener,
  createViewStep,
  viewEventsOf,
  createViewState,
  readViews,
  toOldState,
  ownerViewScript,
} from './viewing-provider.ts'

const engines = createEngines()
afterEach(() => engines.close())
const openScene = createViewEngineOpener(engines)

const urn = 'urn:pulumi:dev::life::test:index:Thing::a'
const createExpectedView = (value: unknown) => ({
  urn: 'urn:pulumi:dev::life::test:index:Thing$test:index:View::a-child',
  viewOf: urn,
  parent: urn,
  inputs: { input: value },
  outputs: { result: value },
})

test('TestViewsBasic: a view is created, unchanged, updated and deleted with its owner', async () => {
  const { engine, receivedViews: views } = await openScene(ownerViewScript)
  const firstRun = await engine.run(createThings({ a: { v: 'bar' } }))
  expect(firstRun.result).toMatchObject({ result: 'succeeded', changes: { create: 3 } })
  expect(readViews(firstRun)).toMatchObject([createExpectedView('bar')])
  expect(firstRun.state.metadata).not.toHaveProperty('integrity_error')
  expect(viewEventsOf(firstRun)).toEqual([
    'pre create a',
    'pre create a-child',
    'out create a',
    'out create a-child',
  ])
  const same = await engine.run(createThings({ a: { v: 'bar' } }))
  expect(same.result.changes).toEqual({ same: 3 })
  expect(readViews(same)).toMatchObject([createExpectedView('bar')])
  const changed = await engine.run(createThings({ a: { v: 'baz' } }))
  expect(changed.result.changes).toEqual({ same: 1, update: 2 })
  expect(readViews(changed)).toMatchObject([createExpectedView('baz')])
  expect(views.at(-1)).toMatchObject([
    {
      type: 'test:index:View',
      name: 'a-child',
      inputs: { input: 'bar' },
      outputs: { result: 'bar' },
    },
  ])
  const deletingRun = await engine.run(createThings({}))
  expect(deletingRun.result.changes).toEqual({ same: 1, delete: 2 })
  expect(views.at(-1)).toMatchObject([{ name: 'a-child', inputs: { input: 'baz' } }])
  expect(viewEventsOf(deletingRun)).toEqual([
    'pre delete a',
    'pre delete a-child',
    'out delete a-child',
    'out delete a',
  ])
  expect(readViews(deletingRun)).toEqual([])
})

test('TestViewsUpdateError: a failed view fails its owner, whose update is kept', async () => {
  const { engine } = await openScene({
    ...ownerViewScript,
    update: ({ oldViews, name, news }) =>
      oldViews.map(old =>
        createViewStep(Op.UPDATE, {
          old: toOldState(old),
          new: createViewState(name, news?.['v']),
          error: 'something went wrong',
        }),
      ),
  })
  await engine.run(createThings({ a: { v: 'bar' } }))
  const failed = await engine.run(createThings({ a: { v: 'baz' }, b: {} }))
  expect(failed.result.result).toBe('failed')
  expect(trimmedErrorsOf(failed.events)).toContain('something went wrong')
  expect(viewEventsOf(failed)).toEqual([
    'pre update a',
    'pre update a-child',
    'out update a',
    'failed update a-child',
  ])
  expect(readViews(failed)).toMatchObject([createExpectedView('bar')])
  expect(failed.state.resources).toContainEqual(
    expect.objectContaining({ urn, inputs: { v: 'baz' } }),
  )
  expect(failed.state.pending_operations).toBeUndefined()
})

test('TestViewsUpdateDelete: a view is deleted during the update of its owner', async () => {
  const { engine } = await openScene({
    ...ownerViewScript,
    update: ({ oldViews }) =>
      oldViews.map(old => createViewStep(Op.DELETE, { old: toOldState(old) })),
  })
  await engine.run(createThings({ a: { v: 'bar' } }))
  const changed = await engine.run(createThings({ a: { v: 'baz' } }))
  expect(changed.result.changes).toEqual({ same: 1, update: 1, delete: 1 })
  expect(readViews(changed)).toEqual([])
})

test('TestViewsDeleteBeforeReplace: a view is replaced during an update, and its old copy is deleted first', async () => {
  const { engine } = await openScene({
    ...ownerViewScript,
    update: ({ oldViews, name, news }) =>
      oldViews.flatMap(oldView => {
        const [old, next] = [toOldState(oldView), createViewState(name, news?.['v'])]
        return [
          createViewStep(Op.DELETE_REPLACED, { old }),
          createViewStep(Op.REPLACE, { old, new: next }),
          createViewStep(Op.CREATE_REPLACEMENT, { new: next }),
        ]
      }),
  })
  await engine.run(createThings({ a: { v: 'bar' } }))
  const changed = await engine.run(createThings({ a: { v: 'baz' } }))
  expect(changed.result.changes).toEqual({ same: 1, update: 1, replace: 1 })
  expect(readViews(changed)).toMatchObject([createExpectedView('baz')])
})

test('TestViewsCreateBeforeReplace: a view is replaced during an update, and its new copy is created first', async () => {
  const { engine } = await openScene({
    ...ownerViewScript,
    update: ({ oldViews, name, news }) =>
      oldViews.flatMap(oldView => {
        const [old, next] = [toOldState(oldView), createViewState(name, news?.['v'])]
        return [
          createViewStep(Op.CREATE_REPLACEMENT, { old, new: next }),
          createViewStep(Op.REPLACE, { old, new: next }),
          createViewStep(Op.DELETE_REPLACED, { old }),
        ]
      }),
  })
  await engine.run(createThings({ a: { v: 'bar' } }))
  const changed = await engine.run(createThings({ a: { v: 'baz' } }))
  expect(changed.result.changes).toEqual({ same: 1, update: 1, replace: 1 })
  expect(readViews(changed)).toMatchObject([createExpectedView('baz')])
  expect(readViews(changed)[0]?.delete).toBeUndefined()
})

test('TestViewsDestroyPreview: the preview of a destroy reports the deletes of views, too', async () => {
  const { engine, cloud } = await openScene(ownerViewScript)
  await engine.run(createThings({ a: { v: 'bar' } }))
  const previewed = await engine.run(undefined, { command: 'destroy', dryRun: true })
  expect(viewEventsOf(previewed)).toEqual([
    'pre delete a',
    'pre delete a-child',
    'out delete a-child',
    'out delete a',
  ])
  expect(previewed.result.changes).toEqual({ delete: 3 })
  expect(cloud.mutatingCalls).toEqual(['create a'])
  const destroyRun = await engine.run(undefined, { command: 'destroy' })
  expect(destroyRun.result).toMatchObject({ result: 'succeeded', changes: { delete: 3 } })
  expect(destroyRun.state.resources ?? []).toEqual([])
})

test('TestViewsImport: an import does not change the views of other resources', async () => {
  const { engine, cloud } = await openScene({ create: ownerViewScript.create ?? (() => []) })
  const firstRun = await engine.run(createThings({ a: { v: 'bar' } }))
  cloud.objects.set('imported-id', { v: 1 })
  const imported = await engine.run(undefined, {
    command: 'import',
    imports: [
      {
        type: 'test:index:Thing',
        name: 'b',
        id: 'imported-id',
        parent: '',
        provider: '',
        version: '',
        pluginDownloadUrl: '',
        protect: false,
        isChosen: false,
        component: 'no',
      },
    ],
  })
  expect(imported.result.result).toBe('succeeded')
  expect(readViews(imported)).toEqual(readViews(firstRun))
})

import { afterEach, expect, test } from 'vitest'
import { errorsOf } from '../components.ts'
import { createEngines, things } from '../things.ts'
import { Op, sceneOf, step, told, view, viewsIn, was, whole } from './viewed.ts'

const engines = createEngines()
afterEach(() => engines.close())
const scene = sceneOf(engines)

const urn = 'urn:pulumi:dev::life::test:index:Thing::a'
const stored = (value: unknown) => ({
  urn: 'urn:pulumi:dev::life::test:index:Thing$test:index:View::a-child',
  viewOf: urn,
  parent: urn,
  inputs: { input: value },
  outputs: { result: value },
})

test('TestViewsBasic: a view is made, stays, changes and goes with its owner', async () => {
  const { engine, told: views } = await scene(whole)
  const made = await engine.run(things({ a: { v: 'bar' } }))
  expect(made.result).toMatchObject({ result: 'succeeded', changes: { create: 3 } })
  expect(viewsIn(made)).toMatchObject([stored('bar')])
  expect(made.state.metadata).not.toHaveProperty('integrity_error')
  expect(told(made)).toEqual([
    'pre create a',
    'pre create a-child',
    'out create a',
    'out create a-child',
  ])
  const same = await engine.run(things({ a: { v: 'bar' } }))
  expect(same.result.changes).toEqual({ same: 3 })
  expect(viewsIn(same)).toMatchObject([stored('bar')])
  const changed = await engine.run(things({ a: { v: 'baz' } }))
  expect(changed.result.changes).toEqual({ same: 1, update: 2 })
  expect(viewsIn(changed)).toMatchObject([stored('baz')])
  expect(views.at(-1)).toMatchObject([
    {
      type: 'test:index:View',
      name: 'a-child',
      inputs: { input: 'bar' },
      outputs: { result: 'bar' },
    },
  ])
  const gone = await engine.run(things({}))
  expect(gone.result.changes).toEqual({ same: 1, delete: 2 })
  expect(views.at(-1)).toMatchObject([{ name: 'a-child', inputs: { input: 'baz' } }])
  expect(told(gone)).toEqual([
    'pre delete a',
    'pre delete a-child',
    'out delete a-child',
    'out delete a',
  ])
  expect(viewsIn(gone)).toEqual([])
})

test('TestViewsUpdateError: a view that failed makes its owner fail, whose change stays', async () => {
  const { engine } = await scene({
    ...whole,
    update: ({ oldViews, name, news }) =>
      oldViews.map(old =>
        step(Op.UPDATE, {
          old: was(old),
          new: view(name, news?.['v']),
          error: 'something went wrong',
        }),
      ),
  })
  await engine.run(things({ a: { v: 'bar' } }))
  const failed = await engine.run(things({ a: { v: 'baz' }, b: {} }))
  expect(failed.result.result).toBe('failed')
  expect(errorsOf(failed.events)).toContain('something went wrong')
  expect(told(failed)).toEqual([
    'pre update a',
    'pre update a-child',
    'out update a',
    'failed update a-child',
  ])
  expect(viewsIn(failed)).toMatchObject([stored('bar')])
  expect(failed.state.resources).toContainEqual(
    expect.objectContaining({ urn, inputs: { v: 'baz' } }),
  )
  expect(failed.state.pending_operations).toBeUndefined()
})

test('TestViewsUpdateDelete: a view goes while its owner is updated', async () => {
  const { engine } = await scene({
    ...whole,
    update: ({ oldViews }) => oldViews.map(old => step(Op.DELETE, { old: was(old) })),
  })
  await engine.run(things({ a: { v: 'bar' } }))
  const changed = await engine.run(things({ a: { v: 'baz' } }))
  expect(changed.result.changes).toEqual({ same: 1, update: 1, delete: 1 })
  expect(viewsIn(changed)).toEqual([])
})

test('TestViewsDeleteBeforeReplace: a view is deleted and made anew within an update', async () => {
  const { engine } = await scene({
    ...whole,
    update: ({ oldViews, name, news }) =>
      oldViews.flatMap(one => {
        const [old, next] = [was(one), view(name, news?.['v'])]
        return [
          step(Op.DELETE_REPLACED, { old }),
          step(Op.REPLACE, { old, new: next }),
          step(Op.CREATE_REPLACEMENT, { new: next }),
        ]
      }),
  })
  await engine.run(things({ a: { v: 'bar' } }))
  const changed = await engine.run(things({ a: { v: 'baz' } }))
  expect(changed.result.changes).toEqual({ same: 1, update: 1, replace: 1 })
  expect(viewsIn(changed)).toMatchObject([stored('baz')])
})

test('TestViewsCreateBeforeReplace: a view is made anew and deleted within an update', async () => {
  const { engine } = await scene({
    ...whole,
    update: ({ oldViews, name, news }) =>
      oldViews.flatMap(one => {
        const [old, next] = [was(one), view(name, news?.['v'])]
        return [
          step(Op.CREATE_REPLACEMENT, { old, new: next }),
          step(Op.REPLACE, { old, new: next }),
          step(Op.DELETE_REPLACED, { old }),
        ]
      }),
  })
  await engine.run(things({ a: { v: 'bar' } }))
  const changed = await engine.run(things({ a: { v: 'baz' } }))
  expect(changed.result.changes).toEqual({ same: 1, update: 1, replace: 1 })
  expect(viewsIn(changed)).toMatchObject([stored('baz')])
  expect(viewsIn(changed)[0]?.delete).toBeUndefined()
})

test('TestViewsDestroyPreview: what a destroy would delete are views too', async () => {
  const { engine, cloud } = await scene(whole)
  await engine.run(things({ a: { v: 'bar' } }))
  const shown = await engine.run(undefined, { command: 'destroy', dryRun: true })
  expect(told(shown)).toEqual([
    'pre delete a',
    'pre delete a-child',
    'out delete a-child',
    'out delete a',
  ])
  expect(shown.result.changes).toEqual({ delete: 3 })
  expect(cloud.log).toEqual(['create a'])
  const gone = await engine.run(undefined, { command: 'destroy' })
  expect(gone.result).toMatchObject({ result: 'succeeded', changes: { delete: 3 } })
  expect(gone.state.resources ?? []).toEqual([])
})

test('TestViewsImport: an import leaves the views of others as they are', async () => {
  const { engine, cloud } = await scene({ create: whole.create ?? (() => []) })
  const made = await engine.run(things({ a: { v: 'bar' } }))
  cloud.objects.set('imported-id', { v: 1 })
  const imported = await engine.run(undefined, {
    command: 'import',
    imports: [
      {
        ...{ type: 'test:index:Thing', name: 'b', id: 'imported-id', parent: '', provider: '' },
        ...{ version: '', pluginDownloadUrl: '', protect: false, isChosen: false, component: 'no' },
      },
    ],
  })
  expect(imported.result.result).toBe('succeeded')
  expect(viewsIn(imported)).toEqual(viewsIn(made))
})

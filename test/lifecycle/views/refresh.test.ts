import { afterEach, expect, test } from 'vitest'
import {
  CreateResponse,
  type ReadRequest,
  ReadResponse,
  UpdateResponse,
} from '../../../proto/gen/pulumi/provider.ts'
import type { CreateRequest, UpdateRequest } from '../../../proto/gen/pulumi/provider.ts'
import { createCloud } from '../cloud.ts'
import type { Asked } from '../engine.ts'
import { createEngines, things } from '../things.ts'
import { Op, step, type Telling, told, view, viewed, viewsIn, was } from './viewed.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** What a read tells of the views that it is told of. */
const found: Readonly<Record<string, NonNullable<Telling['read']>>> = {
  same: ({ oldViews }) => oldViews.map(old => step(Op.SAME, { old: was(old), new: was(old) })),
  update: ({ oldViews, name }) =>
    oldViews.map(old => step(Op.UPDATE, { old: was(old), new: view(name, 'baz') })),
  delete: ({ oldViews }) => oldViews.map(old => step(Op.DELETE, { old: was(old) })),
}

/** A thing with a view; `isFlagged`: its provider wants it read before each update. */
async function scene(read: NonNullable<Telling['read']>, isFlagged = false) {
  const cloud = createCloud()
  const flag = { refreshBeforeUpdate: isFlagged }
  const script = {
    ...cloud.script,
    create: ({ properties = {} }: CreateRequest) =>
      CreateResponse.create({ id: 'x', properties, ...flag }),
    update: ({ news = {} }: UpdateRequest) => UpdateResponse.create({ properties: news, ...flag }),
    read: ({ id, inputs = {}, properties = {} }: ReadRequest) =>
      ReadResponse.create({ id, inputs, properties, ...flag }),
  }
  const provider = viewed(
    { ...cloud, script },
    {
      create: ({ name }) => [step(Op.CREATE, { new: view(name, 'bar') })],
      read,
      update: ({ name }) => [step(Op.CREATE, { new: view(name, 'new') })],
    },
  )
  const engine = await engines.of({ ...cloud, script: provider.script })
  const made = await engine.run(things({ a: { v: 1 } }))
  expect(viewsIn(made)).toMatchObject([{ inputs: { input: 'bar' } }])
  return {
    engine,
    told: provider.told,
    run: (asked: Asked = {}, v = 1) => engine.run(things({ a: { v } }), asked),
  }
}

const refresh: Asked = { command: 'refresh' }

test('TestViewsRefreshSame: a read says that a view is as it was', async () => {
  const { run, told: views } = await scene(found['same'] ?? (() => []))
  const ran = await run(refresh)
  expect(views.at(-1)).toMatchObject([{ name: 'a-child', inputs: { input: 'bar' } }])
  expect(ran.result).toMatchObject({ result: 'succeeded', changes: { same: 3 } })
  expect(told(ran).filter(one => one.endsWith('child'))).toEqual([
    'pre refresh a-child',
    'out same a-child',
  ])
  expect(viewsIn(ran)).toMatchObject([{ inputs: { input: 'bar' }, outputs: { result: 'bar' } }])
})

test('TestViewsRefreshUpdate: a read finds another value of a view', async () => {
  const { run } = await scene(found['update'] ?? (() => []))
  const shown = await run({ ...refresh, dryRun: true })
  expect(shown.result.changes).toEqual({ same: 2, update: 1 })
  expect(viewsIn(shown)).toMatchObject([{ inputs: { input: 'bar' } }])
  const ran = await run(refresh)
  expect(ran.result.changes).toEqual({ same: 2, update: 1 })
  expect(viewsIn(ran)).toMatchObject([{ inputs: { input: 'baz' }, outputs: { result: 'baz' } }])
})

test('TestViewsRefreshDelete: a read finds that a view is gone', async () => {
  const { run } = await scene(found['delete'] ?? (() => []))
  const ran = await run(refresh)
  expect(ran.result.changes).toEqual({ same: 2, delete: 1 })
  expect(viewsIn(ran)).toEqual([])
})

test('a view of which only a read tells is shown and not kept, as in the original', async () => {
  const { run } = await scene(({ name }) => [step(Op.CREATE, { new: view(`${name}2`, 'found') })])
  const ran = await run(refresh)
  expect(ran.result.changes).toEqual({ same: 2, create: 1 })
  expect(viewsIn(ran)).toMatchObject([{ inputs: { input: 'bar' } }])
})

test('TestViews_RefreshBeforeUpdate_Same, TestViews_RefreshBeforeUpdate_Update, TestViews_RefreshBeforeUpdate_Delete: what is read before an update is kept', async () => {
  const cases = [
    ['same', ['bar']],
    ['update', ['baz']],
    ['delete', []],
  ] as const
  for (const [kind, values] of cases) {
    const { run } = await scene(found[kind] ?? (() => []), true)
    const ran = await run()
    expect(ran.result.result).toBe('succeeded')
    expect(viewsIn(ran).map(({ inputs }) => inputs?.['input'])).toEqual(values)
  }
})

test('TestViewsRefreshDriftDeleteCreate_UpdateRefresh, TestViewsRefreshDriftDeleteCreate_RefreshProgram: a view that is gone is made by the update', async () => {
  for (const asked of [{ refresh: true }, { refresh: true, runProgram: true }]) {
    const { run } = await scene(found['delete'] ?? (() => []))
    const ran = await run(asked, 2)
    expect(ran.result.result).toBe('succeeded')
    expect(viewsIn(ran)).toMatchObject([{ inputs: { input: 'new' }, outputs: { result: 'new' } }])
  }
})

test('TestViewsRefreshDriftDeleteCreate_RefreshBeforeUpdate: the same where its provider wants the read', async () => {
  const { run } = await scene(found['delete'] ?? (() => []), true)
  const ran = await run({}, 2)
  expect(ran.result.result).toBe('succeeded')
  expect(viewsIn(ran)).toMatchObject([{ inputs: { input: 'new' } }])
})

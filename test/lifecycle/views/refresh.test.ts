import { afterEach, expect, test } from 'vitest'
import {
  CreateResponse,
  type ReadRequest,
  ReadResponse,
  UpdateResponse,
} from '../../../proto/gen/pulumi/provider.ts'
import type { CreateRequest, UpdateRequest } from '../../../proto/gen/pulumi/provider.ts'
import { createCloud } from '../cloud.ts'
import type { TestRunOptions } from '../engine.ts'
import { createEngines, createThings } from '../register-thing.ts'
import { ProcessKilledError } from '../test-process.ts'
import {
  Op,
  createViewStep,
  type ViewScript,
  viewEventsOf,
  createViewState,
  createViewingProvider,
  readViews,
  toOldState,
} from './viewing-provider.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** The views that a read reports for the old views it receives. */
const readScripts: Readonly<Record<string, NonNullable<ViewScript['read']>>> = {
  same: ({ oldViews }) =>
    oldViews.map(old => createViewStep(Op.SAME, { old: toOldState(old), new: toOldState(old) })),
  update: ({ oldViews, name }) =>
    oldViews.map(old =>
      createViewStep(Op.UPDATE, { old: toOldState(old), new: createViewState(name, 'baz') }),
    ),
  delete: ({ oldViews }) =>
    oldViews.map(old => createViewStep(Op.DELETE, { old: toOldState(old) })),
}

/**
 * Opens a stack of a thing with a view. `isFlagged`: its provider requests a refresh before each
 * update.
 */
async function openScene(read: NonNullable<ViewScript['read']>, isFlagged = false) {
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
  const provider = createViewingProvider(
    { ...cloud, script },
    {
      create: ({ name }) => [createViewStep(Op.CREATE, { new: createViewState(name, 'bar') })],
      read,
      update: ({ name }) => [createViewStep(Op.CREATE, { new: createViewState(name, 'new') })],
    },
  )
  const engine = await engines.open({ ...cloud, script: provider.script })
  const firstRun = await engine.run(createThings({ a: { v: 1 } }))
  expect(readViews(firstRun)).toMatchObject([{ inputs: { input: 'bar' } }])
  return {
    engine,
    receivedViews: provider.receivedViews,
    run: (options: TestRunOptions = {}, v = 1) => engine.run(createThings({ a: { v } }), options),
  }
}

const refresh: TestRunOptions = { command: 'refresh' }

test('TestViewsRefreshSame: a read reports an unchanged view', async () => {
  const { run, receivedViews: views } = await openScene(readScripts['same'] ?? (() => []))
  const testRun = await run(refresh)
  expect(views.at(-1)).toMatchObject([{ name: 'a-child', inputs: { input: 'bar' } }])
  expect(testRun.result).toMatchObject({ result: 'succeeded', changes: { same: 3 } })
  expect(viewEventsOf(testRun).filter(event => event.endsWith('child'))).toEqual([
    'pre refresh a-child',
    'out same a-child',
  ])
  expect(readViews(testRun)).toMatchObject([
    { inputs: { input: 'bar' }, outputs: { result: 'bar' } },
  ])
})

test('TestViewsRefreshUpdate: a read reports a changed view', async () => {
  const { run } = await openScene(readScripts['update'] ?? (() => []))
  const previewed = await run({ ...refresh, dryRun: true })
  expect(previewed.result.changes).toEqual({ same: 2, update: 1 })
  expect(readViews(previewed)).toMatchObject([{ inputs: { input: 'bar' } }])
  const testRun = await run(refresh)
  expect(testRun.result.changes).toEqual({ same: 2, update: 1 })
  expect(readViews(testRun)).toMatchObject([
    { inputs: { input: 'baz' }, outputs: { result: 'baz' } },
  ])
})

test('TestViewsRefreshDelete: a read reports a missing view', async () => {
  const { run } = await openScene(readScripts['delete'] ?? (() => []))
  const testRun = await run(refresh)
  expect(testRun.result.changes).toEqual({ same: 2, delete: 1 })
  expect(readViews(testRun)).toEqual([])
})

test('a view that only a read reports is displayed and not stored, as in Pulumi', async () => {
  const { run } = await openScene(({ name }) => [
    createViewStep(Op.CREATE, { new: createViewState(`${name}2`, 'found') }),
  ])
  const testRun = await run(refresh)
  expect(testRun.result.changes).toEqual({ same: 2, create: 1 })
  expect(readViews(testRun)).toMatchObject([{ inputs: { input: 'bar' } }])
})

test('TestViews_RefreshBeforeUpdate_Same, TestViews_RefreshBeforeUpdate_Update, TestViews_RefreshBeforeUpdate_Delete: the views of a read before an update are stored', async () => {
  const cases = [
    ['same', ['bar']],
    ['update', ['baz']],
    ['delete', []],
  ] as const
  for (const [kind, values] of cases) {
    const { run } = await openScene(readScripts[kind] ?? (() => []), true)
    const testRun = await run()
    expect(testRun.result.result).toBe('succeeded')
    expect(readViews(testRun).map(({ inputs }) => inputs?.['input'])).toEqual(values)
  }
})

test('TestViewsRefreshDriftDeleteCreate_UpdateRefresh, TestViewsRefreshDriftDeleteCreate_RefreshProgram: the update creates a missing view', async () => {
  for (const options of [{ refresh: true }, { refresh: true, runProgram: true }]) {
    const { run } = await openScene(readScripts['delete'] ?? (() => []))
    const testRun = await run(options, 2)
    expect(testRun.result.result).toBe('succeeded')
    expect(readViews(testRun)).toMatchObject([
      { inputs: { input: 'new' }, outputs: { result: 'new' } },
    ])
  }
})

test('TestViewsRefreshDriftDeleteCreate_RefreshBeforeUpdate: the update creates a missing view when the provider requests the read', async () => {
  const { run } = await openScene(readScripts['delete'] ?? (() => []), true)
  const testRun = await run({}, 2)
  expect(testRun.result.result).toBe('succeeded')
  expect(readViews(testRun)).toMatchObject([{ inputs: { input: 'new' } }])
})

test('if an update is killed after the end of its program, the summary of its resume still counts unchanged resources and views', async () => {
  const options: TestRunOptions = { refresh: true, runProgram: true }
  const runFirst = async () => {
    const cloud = createCloud()
    const { script } = createViewingProvider(cloud, {
      create: ({ name }) => [createViewStep(Op.CREATE, { new: createViewState(name, 'bar') })],
      read: readScripts['same'] ?? (() => []),
    })
    const engine = await engines.open({ ...cloud, script })
    await engine.run(createThings({ a: { v: 1 }, gone: { v: 1 } }))
    return engine
  }
  const program = createThings({ a: { v: 1 } })
  const unharmedRun = await (await runFirst()).run(program, options)
  expect(unharmedRun.result.changes).toEqual({ same: 3, delete: 1 })
  const call = 'operations.begin'
  // The last operation is the delete, which begins after the end of the program.
  const effect = unharmedRun.effects.filter(name => name === call).length
  const engine = await runFirst()
  const kill = { call, effect, when: 'before' } as const
  await expect(engine.run(program, { ...options, kill })).rejects.toBeInstanceOf(ProcessKilledError)
  const resumedRun = await engine.run(program, { ...options, resume: true })
  expect(resumedRun.result.changes).toEqual(unharmedRun.result.changes)
})

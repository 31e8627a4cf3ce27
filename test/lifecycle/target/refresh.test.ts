import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { createEngines, registerThing, createThings } from '../register-thing.ts'
import {
  errorMessagesOf,
  listStateNames,
  listNamesByOp,
  resourceStateOf,
  targetUrnOf,
} from './run-summary.ts'

const engines = createEngines()
afterEach(() => engines.close())

const type = 'test:index:Thing'
const nestedProgram: Program = async monitor => {
  let parent = monitor.stack
  for (const name of ['a', 'b', 'c', 'd'])
    parent = (await registerThing(monitor, name, { v: 1 }, { parent })).urn
}

test('TestRefreshTargetChildren: direct and indirect dependents of a target are read, too', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(nestedProgram)
  for (const id of cloud.objects.keys()) cloud.objects.set(id, { v: 9 })
  const targeting = { targets: [targetUrnOf('b', [type])], targetDependents: true }
  const testRun = await engine.run(undefined, { command: 'refresh', targeting })
  expect(listNamesByOp(testRun, 'refresh')).toEqual(['b', 'c', 'd'])
  expect(['a', 'b', 'c', 'd'].map(name => resourceStateOf(testRun, name).outputs?.['v'])).toEqual([
    1, 9, 9, 9,
  ])
})

test('a refresh with targets reads only the targets, and removes the missing ones from the state', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(async monitor => {
    const a = await registerThing(monitor, 'a', {})
    await registerThing(monitor, 'b', { v: 1 }, { dependencies: [a.urn] })
    await registerThing(monitor, 'c', { v: 1 })
  })
  cloud.objects.delete('a-1')
  cloud.objects.set('b-1', { v: 2 })
  const previewed = await engine.run(undefined, {
    command: 'refresh',
    dryRun: true,
    targeting: { targets: [targetUrnOf('a')] },
  })
  expect(listNamesByOp(previewed, 'refresh')).toEqual(['a'])
  const testRun = await engine.run(undefined, {
    command: 'refresh',
    targeting: { targets: [targetUrnOf('a')] },
  })
  expect(testRun.result.changes).toEqual({ delete: 1 })
  expect(listStateNames(testRun)).toEqual(['b', 'c'])
  expect(resourceStateOf(testRun, 'b')).toMatchObject({ inputs: { v: 1 } })
  expect(resourceStateOf(testRun, 'b').dependencies ?? []).toEqual([])
})

test('the refresh before an update reads only the targets of the update, and refuses those that do not exist yet', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }))
  for (const id of cloud.objects.keys()) cloud.objects.set(id, { v: 9 })
  const program = createThings({ a: { v: 1 }, b: { v: 1 }, c: {} })
  const refused = await engine.run(program, {
    refresh: true,
    targeting: { targets: [targetUrnOf('c')] },
  })
  expect(errorMessagesOf(refused)[0]).toContain(`Target '${targetUrnOf('c')}' could not be found`)
  const testRun = await engine.run(program, {
    refresh: true,
    targeting: { targets: [targetUrnOf('a')] },
  })
  expect(listNamesByOp(testRun, 'refresh')).toEqual(['a'])
  expect(listNamesByOp(testRun, 'update')).toEqual(['a'])
  expect(cloud.objects.get('b-1')).toEqual({ v: 9 })
})

import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { createEngines, thing, things } from '../things.ts'
import { errorsOf, kept, namesBy, stateOf, urnOf } from './look.ts'

const engines = createEngines()
afterEach(() => engines.close())

const type = 'test:index:Thing'
const nested: Program = async monitor => {
  let parent = monitor.stack
  for (const name of ['a', 'b', 'c', 'd'])
    parent = (await thing(monitor, name, { v: 1 }, { parent })).urn
}

test('TestRefreshTargetChildren: dependents of a target are read too, and their dependents', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(nested)
  for (const id of cloud.objects.keys()) cloud.objects.set(id, { v: 9 })
  const targeting = { targets: [urnOf('b', [type])], targetDependents: true }
  const ran = await engine.run(undefined, { command: 'refresh', targeting })
  expect(namesBy(ran, 'refresh')).toEqual(['b', 'c', 'd'])
  expect(['a', 'b', 'c', 'd'].map(name => stateOf(ran, name).outputs?.['v'])).toEqual([1, 9, 9, 9])
})

test('a refresh with targets reads these, and removes of them what is gone', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(async monitor => {
    const a = await thing(monitor, 'a', {})
    await thing(monitor, 'b', { v: 1 }, { dependencies: [a.urn] })
    await thing(monitor, 'c', { v: 1 })
  })
  cloud.objects.delete('a-1')
  cloud.objects.set('b-1', { v: 2 })
  const previewed = await engine.run(undefined, {
    command: 'refresh',
    dryRun: true,
    targeting: { targets: [urnOf('a')] },
  })
  expect(namesBy(previewed, 'refresh')).toEqual(['a'])
  const ran = await engine.run(undefined, {
    command: 'refresh',
    targeting: { targets: [urnOf('a')] },
  })
  expect(ran.result.changes).toEqual({ delete: 1 })
  expect(kept(ran)).toEqual(['b', 'c'])
  expect(stateOf(ran, 'b')).toMatchObject({ inputs: { v: 1 } })
  expect(stateOf(ran, 'b').dependencies ?? []).toEqual([])
})

test('the refresh before an update takes its targets, which must be there already', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(things({ a: { v: 1 }, b: { v: 1 } }))
  for (const id of cloud.objects.keys()) cloud.objects.set(id, { v: 9 })
  const both = things({ a: { v: 1 }, b: { v: 1 }, c: {} })
  const refused = await engine.run(both, { refresh: true, targeting: { targets: [urnOf('c')] } })
  expect(errorsOf(refused)[0]).toContain(`Target '${urnOf('c')}' could not be found`)
  const ran = await engine.run(both, { refresh: true, targeting: { targets: [urnOf('a')] } })
  expect(namesBy(ran, 'refresh')).toEqual(['a'])
  expect(namesBy(ran, 'update')).toEqual(['a'])
  expect(cloud.objects.get('b-1')).toEqual({ v: 9 })
})

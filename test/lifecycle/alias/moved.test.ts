import { Metadata } from '@grpc/grpc-js'
import { afterEach, describe, expect, test } from 'vitest'
import { RegisterResourceRequest } from '../../../proto/gen/pulumi/resource.ts'
import { createCloud } from '../cloud.ts'
import type { Monitor, Program } from '../engine.ts'
import { ProgramFailed } from '../hosts.ts'
import { statesOf } from '../told.ts'
import { createEngines } from '../things.ts'
import {
  type Described,
  kindsOf,
  register,
  registering,
  urnOf,
  urnsOf,
  wire,
} from './registered.ts'

const engines = createEngines()
afterEach(() => engines.close())

const t = (kind: string): string => `test:index:${kind}`
const a = urnOf(t('A'), 'a')

/** Registers as an SDK does that says in its headers what it is. */
function registerAs(
  monitor: Monitor,
  { said, aliasSpecs }: { said: Record<string, string>; aliasSpecs: boolean },
  { type, name, parent, aliases = [] }: Described,
): Promise<void> {
  const metadata = new Metadata()
  for (const [key, value] of Object.entries(said)) metadata.set(key, value)
  const request = RegisterResourceRequest.create({
    type,
    name,
    custom: true,
    object: {},
    parent: parent ?? monitor.stack,
    aliases: aliases.map(wire),
    aliasSpecs,
  })
  return new Promise((resolve, reject) =>
    monitor.client.registerResource(request, metadata, failed =>
      failed === null ? resolve() : reject(failed),
    ),
  )
}

const node = { 'pulumi-runtime': 'nodejs' }
test.each([
  ['an older Node SDK', { said: node, aliasSpecs: false }, {}],
  ['a Node SDK of now', { said: node, aliasSpecs: true }, { noParent: true }],
  ['who says nothing', { said: { 'pulumi-runtime': 'go' }, aliasSpecs: false }, { noParent: true }],
])('TestAliasesNodeJSBackCompat: no parent as %s says it', async (_who, sdk, none) => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const program =
    (two: Described): Program =>
    async monitor => {
      await registerAs(monitor, sdk, { type: t('A'), name: 'a' })
      await registerAs(monitor, sdk, two)
    }
  await engine.run(program({ type: t('B'), name: 'b' }))
  const down = await engine.run(program({ type: t('B'), name: 'b', parent: a, aliases: [none] }))
  const up = await engine.run(program({ type: t('B'), name: 'b', aliases: [{ parent: a }] }))
  expect([kindsOf(down), kindsOf(up)]).toEqual([['same'], ['same']])
  expect(cloud.log).toEqual(['create a', 'create b'])
})

describe('TestDuplicatesDueToAliases: what is registered is nobody else’s past', () => {
  const past = { type: t('A'), name: 'b', aliases: [{ name: 'a' }] }
  test.each([
    ['first', [{ type: t('A'), name: 'a' }, past], a],
    ['last', [past, { type: t('A'), name: 'a' }], urnOf(t('A'), 'b')],
  ])('when it comes %s', async (_when, all, stays) => {
    const cloud = createCloud()
    const engine = await engines.of(cloud)
    await engine.run(registering({ type: t('A'), name: 'a' }))
    const ran = await engine.run(registering(...all))
    expect(ran.result.result).toBe('failed')
    expect(urnsOf(ran)).toEqual([stays])
    expect(cloud.log).toEqual(['create a'])
  })
})

test('TestCorrectResourceChosen: a resource’s own URN is looked for before its aliases', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const [top, child] = [
    { type: t('A'), name: 'a' },
    { type: t('A'), name: 'b', parent: a, object: { v: 1 } },
  ]
  await engine.run(registering(top, child, { type: t('A'), name: 'b', object: { v: 2 } }))
  const own = { type: t('A'), name: 'b', object: { v: 2 }, aliases: [{ parent: a }] }
  const ran = await engine.run(registering(top, own))
  expect(ran.result.result).toBe('succeeded')
  expect(urnsOf(ran)).toEqual([a, urnOf(t('A'), 'b')])
  expect(cloud.log.slice(3)).toEqual(['delete b-1'])
  expect(statesOf(ran, 'b')).toMatchObject([{ id: 'b-2' }])
  expect(statesOf(ran, 'b')[0]).not.toHaveProperty('aliases')
})

test('TestComponentToCustomUpdate: a component becomes a resource and one again', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const component = { type: 'prog::myType', name: 'a', custom: false, object: { v: 1 } }
  const custom = { type: t('A'), name: 'a', object: { v: 1 } }
  await engine.run(registering(component))
  const made = await engine.run(registering({ ...custom, aliases: [{ type: 'prog::myType' }] }))
  expect(made.result.result).toBe('succeeded')
  expect(statesOf(made, 'a')).toMatchObject([{ type: t('A'), custom: true }])
  const back = await engine.run(registering({ ...component, aliases: [{ type: t('A') }] }))
  expect(back.result.result).toBe('succeeded')
  expect(statesOf(back, 'a')).toMatchObject([{ type: 'prog::myType', custom: false }])
  expect(back.state.resources?.map(({ type }) => type)).toEqual([
    'pulumi:pulumi:Stack',
    'prog::myType',
  ])
})

const component = (type: string, name: string, parent?: string): Described => ({
  type,
  name,
  custom: false,
  ...(parent === undefined ? {} : { parent }),
})

test('TestParentAlias: a child follows a parent that moves in the same deployment', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const top = component('prog:index:Std', 'a')
  const above = urnOf('prog:index:Std', 'a')
  const b = urnOf('prog:index:My', 'b')
  const moved = urnOf('prog:index:Std$prog:index:My', 'b')
  await engine.run(
    registering(top, component('prog:index:My', 'b'), { type: t('C'), name: 'c', parent: b }),
  )
  const ran = await engine.run(
    registering(
      top,
      { ...component('prog:index:My', 'b', above), aliases: [{ noParent: true }] },
      { type: t('C'), name: 'c', parent: above, aliases: [{ parent: moved }] },
    ),
  )
  expect(kindsOf(ran)).toEqual(['same'])
  expect(urnsOf(ran)).toEqual([above, moved, urnOf(`prog:index:Std$${t('C')}`, 'c')])
  expect(cloud.log).toEqual(['create c'])
})

test('TestEmptyParentAlias: an empty parent is the present one', async () => {
  const engine = await engines.of(createCloud())
  const top = component('prog:index:Std', 'a')
  const above = urnOf('prog:index:Std', 'a')
  await engine.run(registering(top, component('prog:index:My', 'b', above)))
  const renamed = {
    ...component('prog:index:My', 'c', above),
    aliases: [{ name: 'b', parent: '' }],
  }
  const ran = await engine.run(registering(top, renamed))
  expect(kindsOf(ran)).toEqual(['same'])
  expect(urnsOf(ran)).toEqual([above, urnOf('prog:index:Std$prog:index:My', 'c')])
})

test('TestSplitUpdateComponentAliases: children follow a component over two deployments', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const inside = urnOf(`${t('A')}$${t('B')}`, 'b')
  await engine.run(
    registering({ type: t('A'), name: 'a' }, component(t('B'), 'b', a), {
      type: t('C'),
      name: 'c',
      parent: inside,
    }),
  )
  const out = { ...component(t('B'), 'b'), aliases: [inside] }
  const b = urnOf(t('B'), 'b')
  const broken = await engine.run(async monitor => {
    await register(monitor, [out])
    throw new ProgramFailed('something went wrong')
  })
  expect(broken.result.result).toBe('failed')
  // What was not registered has the URN that its parent gives it all the same.
  const c = urnOf(`${t('B')}$${t('C')}`, 'c')
  expect(new Set(urnsOf(broken))).toEqual(new Set([b, a, c]))
  expect(statesOf(broken, 'c')).toMatchObject([{ urn: c, parent: b }])
  const ran = await engine.run(registering(out, { type: t('C'), name: 'c', parent: b }))
  expect(ran.result.result).toBe('succeeded')
  expect(urnsOf(ran)).toEqual([b, c])
  expect(cloud.log).toEqual(['create a', 'create c', 'delete a-1'])
})

test('TestFailDeleteDuplicateAliases: a name is free again though its former holder stays', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const plain = { type: t('A'), name: 'a' }
  await engine.run(registering(plain))
  const renamed = await engine.run(
    registering({ type: t('A'), name: 'ax', aliases: [{ name: 'a' }] }),
  )
  expect(urnsOf(renamed)).toEqual([urnOf(t('A'), 'ax')])
  expect(statesOf(renamed, 'ax')[0]).not.toHaveProperty('aliases')
  cloud.faults.add('delete a-1')
  const ran = await engine.run(registering(plain))
  expect(ran.result.result).toBe('failed')
  expect(urnsOf(ran)).toEqual([a, urnOf(t('A'), 'ax')])
  expect(cloud.log).toEqual(['create a', 'create a', 'delete a-1'])
})

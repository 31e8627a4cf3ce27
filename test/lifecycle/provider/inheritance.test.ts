import { afterEach, expect, test } from 'vitest'
import { createBench } from '../bench.ts'
import { createCloud } from '../cloud.ts'
import type { Monitor } from '../engine.ts'
import { named } from '../states.ts'

const bench = createBench()
afterEach(() => bench.close())

const own = async (monitor: Monitor, more: object = {}): Promise<string> => {
  const type = 'pulumi:providers:pkgA'
  const { urn, id } = await monitor.register({ type, name: 'own', custom: true, ...more })
  return `${urn}::${id}`
}

const thing = (monitor: Monitor, name: string, more: object = {}) =>
  monitor.register({ type: 'pkgA:m:typA', name, custom: true, object: { v: 1 }, ...more })

test('TestDeletedWithOptionInheritance: what is deleted with another hands that down to its children', async () => {
  const { run } = await bench.of(createCloud())
  const { state } = await run(async monitor => {
    const a = await thing(monitor, 'a')
    const b = await thing(monitor, 'b', { deletedWith: a.urn })
    await thing(monitor, 'c', { parent: b.urn })
    await thing(monitor, 'd', { parent: b.urn, deletedWith: b.urn })
  })
  const withOf = (name: string): unknown => named(state, name)?.['deletedWith']
  expect([withOf('b'), withOf('c')]).toEqual([named(state, 'a')?.urn, named(state, 'a')?.urn])
  expect(withOf('d')).toBe(named(state, 'b')?.urn)
})

test('TestProviderOptionInheritance: a child of the same package has its parent’s provider', async () => {
  const { run } = await bench.of(createCloud())
  let provider = ''
  const { state } = await run(async monitor => {
    provider = await own(monitor)
    const a = await thing(monitor, 'a', { provider })
    await thing(monitor, 'b', { parent: a.urn })
  })
  expect(named(state, 'b')?.['provider']).toBe(provider)
})

test('TestDefaultProviderInheritance: a child of another package has its own default provider', async () => {
  const { run, plugins } = await bench.of(createCloud())
  const { state } = await run(async monitor => {
    const a = await monitor.register({ type: 'pkgB:m:typA', name: 'a', custom: true, object: {} })
    await thing(monitor, 'b', { parent: a.urn })
  })
  expect(named(state, 'b')?.['provider']).toContain('pulumi:providers:pkgA::default::')
  expect(plugins.loaded.map(({ plugin }) => plugin.name)).toEqual(['pkgB', 'pkgA'])
})

test('TestProvidersOptionInheritance, TestComponentProvidersInheritance: the providers of a component are its children’s, also through components between', async () => {
  const { run } = await bench.of(createCloud())
  let provider = ''
  const { state } = await run(async monitor => {
    provider = await own(monitor)
    const component = (name: string, more: object) =>
      monitor.register({ type: 'my:m:Box', name, ...more })
    const outer = await component('outer', { providers: new Map([['pkgA', provider]]) })
    const inner = await component('inner', { parent: outer.urn })
    await thing(monitor, 'a', { parent: outer.urn })
    await thing(monitor, 'b', { parent: inner.urn })
    await thing(monitor, 'c')
  })
  // TestProvidersOptionInheritance
  expect(named(state, 'a')?.['provider']).toBe(provider)
  // TestComponentProvidersInheritance
  expect(named(state, 'b')?.['provider']).toBe(provider)
  expect(named(state, 'c')?.['provider']).toContain('::default::')
})

import { afterEach, expect, test } from 'vitest'
import { createPluginEngines } from '../plugin-engines.ts'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { findResource } from '../stack-states.ts'
import { opsOf } from '../run-events.ts'
import { deleteFirst, withDependency } from '../register-thing.ts'

const engines = createPluginEngines()
afterEach(() => engines.close())

/** `a` has an explicit provider and depends on `b`. All are registered as early as possible. */
const program =
  (version: string, value: number): Program =>
  async monitor => {
    const ownProvider = monitor.register({
      type: 'pulumi:providers:pkgA',
      name: 'own',
      custom: true,
      version,
    })
    const b = monitor.register({
      type: 'pkgB:m:typB',
      name: 'b',
      custom: true,
      object: { replace: value },
      ...deleteFirst,
    })
    const [{ urn, id }, resource] = await Promise.all([ownProvider, b])
    await monitor.register({
      type: 'pkgA:m:typA',
      name: 'a',
      custom: true,
      object: { foo: 'foo' },
      provider: `${urn}::${id}`,
      ...withDependency(resource.urn),
    })
  }

test('TestDBRProviderUpgrade: a cascade uses the old provider, and later calls use the new one', async () => {
  const cloud = createCloud()
  const { run, plugins } = await engines.open(cloud)
  await run(program('1.1.1', 16))
  plugins.takeLoaded()
  const testRun = await run(program('1.2.1', 17))
  expect(testRun.result.result).toBe('succeeded')
  expect(opsOf(testRun, 'own')).toEqual(['update'])
  expect(opsOf(testRun, 'b')).toEqual(['delete-replaced', 'replace', 'create-replacement'])
  expect(opsOf(testRun, 'a')).toEqual(['same'])
  expect(cloud.mutatingCalls.slice(2)).toEqual(['delete b-1', 'create b'])
  expect(findResource(testRun.state, 'own')?.['inputs']).toMatchObject({ version: '1.2.1' })
  // In the end the new instance of the provider compares `a`.
  const versions = plugins.takeLoaded().map(({ plugin }) => `${plugin.name} ${plugin.version}`)
  expect(versions).toContain('pkgA 1.2.1')
})

import { afterEach, expect, test } from 'vitest'
import { createBench } from '../bench.ts'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'

const bench = createBench()
afterEach(() => bench.close())

const own =
  (mappings: Record<string, string>): Program =>
  async monitor => {
    const envVarMappings = new Map(Object.entries(mappings))
    const type = 'pulumi:providers:pkgA'
    await monitor.register({ type, name: 'own', custom: true, object: {}, envVarMappings })
  }

const inputsOf = (resources: readonly { urn: string }[] | undefined): unknown =>
  (resources?.find(({ urn }) => urn.endsWith('::own')) as { inputs?: unknown } | undefined)?.inputs

test('TestEnvVarMappingsOnProvider: mappings are kept among what is the engine’s own, and given to the plugin', async () => {
  const { run, plugins } = await bench.of(createCloud())
  const { state } = await run(own({ MY_TOKEN: 'TOKEN', OTHER: 'PLACE' }))
  expect(inputsOf(state.resources)).toEqual({
    __internal: { envVarMappings: { MY_TOKEN: 'TOKEN', OTHER: 'PLACE' } },
  })
  expect(plugins.loaded[0]?.envVarMappings).toEqual({ MY_TOKEN: 'TOKEN', OTHER: 'PLACE' })
  expect(plugins.loaded[0]?.asked('checkConfig')['news'] ?? {}).toEqual({})
})

test('TestEnvVarMappingsOnNonProviderFails: any other resource is refused', async () => {
  const cloud = createCloud()
  const { run } = await bench.of(cloud)
  const refusals: string[] = []
  const { state } = await run(async monitor => {
    const envVarMappings = new Map([['MY_TOKEN', 'TOKEN']])
    const asked = { type: 'pkgA:m:typA', name: 'a', custom: true, envVarMappings }
    await monitor.register(asked).catch((thrown: Error) => refusals.push(thrown.message))
  })
  expect(refusals).toEqual([
    expect.stringContaining('envVarMappings can only be used with provider resources'),
  ])
  expect(cloud.log).toEqual([])
  expect(state.resources?.map(({ type }) => type)).toEqual(['pulumi:pulumi:Stack'])
})

test('TestEmptyEnvVarMappingsNotStoredInState: no mappings leave no key', async () => {
  const { run } = await bench.of(createCloud())
  const { state } = await run(own({}))
  expect(JSON.stringify(state)).not.toContain('envVarMappings')
})

test('TestEnvVarMappingsRemovedFromStateOnUpdate: mappings that go leave no key either', async () => {
  const { run } = await bench.of(createCloud())
  await run(own({ MY_TOKEN: 'TOKEN' }))
  const { state } = await run(own({}))
  expect(JSON.stringify(state)).not.toContain('envVarMappings')
})

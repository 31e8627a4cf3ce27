import { afterEach, expect, test } from 'vitest'
import { createPluginEngines } from '../plugin-engines.ts'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'

const engines = createPluginEngines()
afterEach(() => engines.close())

const createOwnProgram =
  (mappings: Record<string, string>): Program =>
  async monitor => {
    const envVarMappings = new Map(Object.entries(mappings))
    const type = 'pulumi:providers:pkgA'
    await monitor.register({ type, name: 'own', custom: true, object: {}, envVarMappings })
  }

const inputsOf = (resources: readonly { urn: string }[] | undefined): unknown =>
  (resources?.find(({ urn }) => urn.endsWith('::own')) as { inputs?: unknown } | undefined)?.inputs

test('TestEnvVarMappingsOnProvider: mappings are stored in the internal inputs and passed to the plugin', async () => {
  const { run, plugins } = await engines.open(createCloud())
  const { state } = await run(createOwnProgram({ MY_TOKEN: 'TOKEN', OTHER: 'PLACE' }))
  expect(inputsOf(state.resources)).toEqual({
    __internal: { envVarMappings: { MY_TOKEN: 'TOKEN', OTHER: 'PLACE' } },
  })
  expect(plugins.loaded[0]?.envVarMappings).toEqual({ MY_TOKEN: 'TOKEN', OTHER: 'PLACE' })
  expect(plugins.loaded[0]?.requestOf('checkConfig')['news'] ?? {}).toEqual({})
})

test('TestEnvVarMappingsOnNonProviderFails: mappings on any other resource are refused', async () => {
  const cloud = createCloud()
  const { run } = await engines.open(cloud)
  const refusals: string[] = []
  const { state } = await run(async monitor => {
    const envVarMappings = new Map([['MY_TOKEN', 'TOKEN']])
    const registration = { type: 'pkgA:m:typA', name: 'a', custom: true, envVarMappings }
    await monitor.register(registration).catch((thrown: Error) => refusals.push(thrown.message))
  })
  expect(refusals).toEqual([
    expect.stringContaining('envVarMappings can only be used with provider resources'),
  ])
  expect(cloud.mutatingCalls).toEqual([])
  expect(state.resources?.map(({ type }) => type)).toEqual(['pulumi:pulumi:Stack'])
})

test('TestEmptyEnvVarMappingsNotStoredInState: empty mappings store no key', async () => {
  const { run } = await engines.open(createCloud())
  const { state } = await run(createOwnProgram({}))
  expect(JSON.stringify(state)).not.toContain('envVarMappings')
})

test('TestEnvVarMappingsRemovedFromStateOnUpdate: removed mappings leave no key', async () => {
  const { run } = await engines.open(createCloud())
  await run(createOwnProgram({ MY_TOKEN: 'TOKEN' }))
  const { state } = await run(createOwnProgram({}))
  expect(JSON.stringify(state)).not.toContain('envVarMappings')
})

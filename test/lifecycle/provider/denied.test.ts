import { afterEach, describe, expect, test } from 'vitest'
import { createPluginEngines } from '../plugin-engines.ts'
import { createCloud } from '../cloud.ts'
import type { Monitor, Program } from '../engine.ts'

const engines = createPluginEngines()
afterEach(() => engines.close())

const registerOwnProvider = async (monitor: Monitor, more: object = {}): Promise<string> => {
  const type = 'pulumi:providers:pkgA'
  const { urn, id } = await monitor.register({ type, name: 'own', custom: true, ...more })
  return `${urn}::${id}`
}

const registerThing = (monitor: Monitor, name: string, more: object = {}) =>
  monitor.register({ type: 'pkgA:m:typA', name, custom: true, object: { v: 1 }, ...more })

describe('TestMultipleResourceDenyDefaultProviderLifecycle', () => {
  const denyProviders = (text: string) => ({
    configTexts: { 'pulumi:disable-default-providers': { text } },
  })
  const plainProgram: Program = async monitor => void (await registerThing(monitor, 'a'))

  test.each(['["pkgA"]', '[" pkgA "]', '["*"]', '["other", "*", 3]'])(
    'TestMultipleResourceDenyDefaultProviderLifecycle: %s denies the default provider, which causes one error that names the resource',
    async text => {
      const cloud = createCloud()
      const { run, errorsOf } = await engines.open(cloud)
      const testRun = await run(plainProgram, denyProviders(text))
      expect(testRun.result.result).toBe('failed')
      expect(errorsOf(testRun)).toEqual([
        expect.stringContaining(
          "Default provider for 'pkgA' disabled. 'urn:pulumi:dev::life::pkgA:m:typA::a' must use an explicit provider.",
        ),
      ])
      expect(cloud.mutatingCalls).toEqual([])
      expect(JSON.stringify(testRun.state)).not.toContain('denydefaultprovider')
    },
  )

  test.each(['["pkgB"]', '', '[]', 'null'])(
    'TestMultipleResourceDenyDefaultProviderLifecycle: %j does not deny the default provider',
    async text => {
      const { run } = await engines.open(createCloud())
      expect((await run(plainProgram, denyProviders(text))).result.result).toBe('succeeded')
    },
  )

  test('TestMultipleResourceDenyDefaultProviderLifecycle: explicit providers stay usable, and functions, reads and methods without one are refused', async () => {
    const cloud = createCloud()
    const { run } = await engines.open(cloud)
    const refusals: string[] = []
    const { result } = await run(async monitor => {
      const provider = await registerOwnProvider(monitor)
      await registerThing(monitor, 'a', { provider })
      await monitor.invokeWith({ tok: 'pkgA:m:fn', provider })
      const recordRefusal = (thrown: Error) => void refusals.push(thrown.message)
      await monitor.invokeWith({ tok: 'pkgA:m:fn' }).catch(recordRefusal)
      await monitor.read('r', 'a-1', { type: 'pkgA:m:typA' }).catch(recordRefusal)
      await monitor.call({ tok: 'pkgA:m:typA/fn' }).catch(recordRefusal)
    }, denyProviders('["pkgA"]'))
    expect(refusals).toEqual([
      expect.stringContaining("Default provider for 'pkgA' disabled. 'pkgA:m:fn' must use"),
      expect.stringContaining("'pkgA:m:typA' must use an explicit provider."),
      expect.stringContaining("Default provider for 'pkgA' disabled. 'pkgA:m:typA/fn' must use"),
    ])
    expect(result.result).toBe('succeeded')
  })

  test.each([
    ['["pkgA', 'Failed to parse ["pkgA'],
    ['"pkgA"', 'must be a list'],
    ['[1]', 'pulumi:disable-default-providers[0] must be a string'],
  ])(
    'TestMultipleResourceDenyDefaultProviderLifecycle: %j causes one error',
    async (text, message) => {
      const cloud = createCloud()
      const { run, errorsOf } = await engines.open(cloud)
      const testRun = await run(plainProgram, denyProviders(text))
      expect(testRun.result.result).toBe('failed')
      expect(errorsOf(testRun)).toEqual([expect.stringContaining(message)])
      expect(cloud.mutatingCalls).toEqual([])
    },
  )
})

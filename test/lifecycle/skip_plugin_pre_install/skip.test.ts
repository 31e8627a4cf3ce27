import { afterEach, expect, test } from 'vitest'
import { createPluginEngines } from '../plugin-engines.ts'
import { createCloud } from '../cloud.ts'

const engines = createPluginEngines()
afterEach(() => engines.close())

test('TestSkipPluginPreInstallSkipsUnusedLanguagePackages: only the plugins of registered resources are requested, not those of all packages', async () => {
  const { run, plugins, install } = await engines.open(createCloud())
  install('@pulumi/pkgA', { name: 'pkgA', version: '1.0.0' })
  install('@pulumi/pkgB', { name: 'pkgB', version: '1.0.0' })
  const { result } = await run(async monitor => {
    await monitor.register({ type: 'pkgA:m:typA', name: 'a', custom: true, object: {} })
  })
  expect(result.result).toBe('succeeded')
  expect(plugins.loaded.map(({ plugin }) => [plugin.name, plugin.version])).toEqual([
    ['pkgA', '1.0.0'],
  ])
  expect(plugins.listObtained()).toEqual([])
  await run(undefined, { command: 'destroy' })
  expect(plugins.listObtained()).toEqual(['pkgA 1.0.0'])
})

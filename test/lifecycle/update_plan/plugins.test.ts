import { afterEach, expect, test } from 'vitest'
import { createPluginEngines } from '../plugin-engines.ts'
import { createCloud } from '../cloud.ts'

const bench = createPluginEngines()
afterEach(() => bench.close())

test('TestPluginsAreDownloaded: a preview creates a plan, and loads no plugin of a package without resources in the program', async () => {
  const { run, plugins, install } = await bench.open(createCloud())
  install('@pulumi/pkgA', { name: 'pkgA' })
  install('@pulumi/pkgB', { name: 'pkgB', version: '1.0.0' })
  const { result } = await run(
    async monitor => {
      await monitor.register({ type: 'pkgA:m:typA', name: 'a', custom: true, object: {} })
    },
    { dryRun: true, request: { draftsUpdatePlan: true } },
  )
  expect(result.result).toBe('succeeded')
  expect(Object.keys(JSON.parse(result.updatePlan ?? '{}').resourcePlans)).toContain(
    'urn:pulumi:dev::life::pkgA:m:typA::a',
  )
  expect(plugins.loaded.map(({ plugin }) => plugin.name)).toEqual(['pkgA'])
})

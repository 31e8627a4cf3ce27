import { afterEach, expect, test } from 'vitest'
import type { ImportedResource } from '../../../shared/records/imported-resource.ts'
import { createCloud } from '../cloud.ts'
import { createEngines } from '../register-thing.ts'
import { diagnosticsOf, statesOf } from '../run-events.ts'

const engines = createEngines()
afterEach(() => engines.close())

const reference: ImportedResource = {
  type: 'pulumi:pulumi:StackReference',
  name: 'other',
  id: 'organization/life/other',
  parent: '',
  provider: '',
  version: '',
  pluginDownloadUrl: '',
  protect: false,
  isChosen: false,
  component: 'no',
}

test('TestImportStackReference: the import of a stack reference is refused', async () => {
  const engine = await engines.open(createCloud())
  const testRun = await engine.run(undefined, { command: 'import', imports: [reference] })
  expect(testRun.result.result).toBe('failed')
  expect(diagnosticsOf(testRun).join()).toContain('stack reference can not be imported')
  expect(statesOf(testRun, 'other')).toEqual([])
})

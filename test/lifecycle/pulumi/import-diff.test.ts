import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { diagnosticsOf } from '../run-events.ts'
import { createEngines, toWireSecret, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const hidden = toWireSecret('hidden-word')

test('TestImportDiff: a difference from the imported object that requires a replacement is shown without secrets', async () => {
  const cloud = createCloud()
  cloud.objects.set('ext', { replace: 'before' })
  const engine = await engines.open(cloud)
  const testRun = await engine.run(
    async monitor =>
      void (await registerThing(monitor, 'a', { replace: hidden }, { importId: 'ext' })),
  )
  expect(diagnosticsOf(testRun).join()).toContain('replace: "before" => [secret]')
  expect(JSON.stringify(testRun.events)).not.toContain('hidden-word')
})

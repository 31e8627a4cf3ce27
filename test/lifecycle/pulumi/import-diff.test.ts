import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { saidBy } from '../told.ts'
import { createEngines, secret, thing } from '../things.ts'

const engines = createEngines()
afterEach(() => engines.close())

const hidden = secret('hidden-word')

test('TestImportDiff: the difference that would replace is said, secrets are not', async () => {
  const cloud = createCloud()
  cloud.objects.set('ext', { replace: 'before' })
  const engine = await engines.of(cloud)
  const ran = await engine.run(
    async monitor => void (await thing(monitor, 'a', { replace: hidden }, { importId: 'ext' })),
  )
  expect(saidBy(ran).join()).toContain('replace: "before" => [secret]')
  expect(JSON.stringify(ran.events)).not.toContain('hidden-word')
})

import { afterEach, expect, test } from 'vitest'
import { CheckResponse } from '../../proto/gen/pulumi/provider.ts'
import type { CheckRequest } from '../../proto/gen/pulumi/provider.ts'
import { deploymentIdOf, type OperationId } from '../../shared/records/ids.ts'
import { createCloud } from './cloud.ts'
import { createEngines, toWireSecret, registerThing } from './register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

test('a refused token in a provider message is redacted in all records and events', async () => {
  const cloud = createCloud()
  const script = {
    ...cloud.script,
    checkConfig: (request: CheckRequest) => CheckResponse.create({ inputs: request.news ?? {} }),
    create: () => {
      throw new Error('the token tok-123456 was refused: {"password":"open \\"sesame\\""}')
    },
  }
  const engine = await engines.open({ ...cloud, script })
  const testRun = await engine.run(async monitor => {
    const ownProvider = { type: 'pulumi:providers:test', name: 'mine', custom: true }
    const { urn, id } = await monitor.register({
      ...ownProvider,
      object: { token: toWireSecret('tok-123456') },
    })
    const object = { password: toWireSecret('open "sesame"') }
    await registerThing(monitor, 'a', object, { provider: `${urn}::${id}` })
  })
  const ids = [1, 2, 3, 4].map(id => id as OperationId)
  const ends = await engine.platform.operations.getEnds(deploymentIdOf(testRun.stack, 1), ids)
  const errors = [...ends.values()].map(({ outcome }) => outcome?.error?.message)
  expect(errors).toEqual(['the token [secret] was refused: {"password":"[secret]"}'])
  expect(JSON.stringify(testRun.events)).not.toMatch(/tok-123456|sesame/)
})

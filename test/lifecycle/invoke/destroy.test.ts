import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { listStateNames } from '../target/run-summary.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

test('TestInvokeDependsOnDestroyRunProgram: a function is not called if a resource that it depends on, directly or not, was not created', async () => {
  const engine = await engines.open(createCloud())
  const unknownFlags: unknown[] = []
  const program =
    (isDestroying: boolean): Program =>
    async monitor => {
      const standalone = await registerThing(monitor, 'standalone', { v: 1 })
      const gone = isDestroying ? [(await registerThing(monitor, 'gone', { v: 1 })).urn] : []
      const dependent = await registerThing(monitor, 'dependent', { v: 1 }, { dependencies: gone })
      for (const urns of [[dependent.urn], [standalone.urn], gone]) {
        const request = { tok: 'test:index:read', dependsOn: urns }
        if (urns.length > 0) unknownFlags.push((await monitor.invokeWith(request)).unknown)
      }
    }
  const countInvokes = (): number =>
    engine.provider.calls.filter(({ method }) => method === 'invoke').length
  await engine.run(program(false))
  expect(unknownFlags.splice(0)).toEqual([false, false])
  expect(countInvokes()).toBe(2)
  const testRun = await engine.run(program(true), { command: 'destroy', runProgram: true })
  expect(testRun.result.result).toBe('succeeded')
  expect(unknownFlags).toEqual([true, false, true])
  expect(countInvokes()).toBe(3)
  expect(listStateNames(testRun)).toEqual([])
})

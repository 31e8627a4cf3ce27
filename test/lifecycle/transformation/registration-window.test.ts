import { afterEach, expect, test } from 'vitest'
import { limits } from '../../../shared/config/limits.ts'
import { createCloud } from '../cloud.ts'
import { closeProgramFunctions, openProgramFunctions } from '../program-functions.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(async () => {
  closeProgramFunctions()
  await engines.close()
})

test('registrations inside transforms proceed, even if the running transforms outnumber the streams of a connection', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const outerCount = limits.streamsPerConnection + 50
  const testRun = await engine.run(async monitor => {
    const functions = await openProgramFunctions(monitor)
    const transform = functions.addTransform(async ({ name, properties }) => {
      await registerThing(monitor, `inside-${name}`, { v: 1 })
      return { properties }
    })
    const names = Array.from({ length: outerCount }, (_, index) => `outside-${index}`)
    await Promise.all(
      names.map(name => registerThing(monitor, name, { v: 1 }, { transforms: [transform] })),
    )
  })
  expect(testRun.result.result).toBe('succeeded')
  const things = testRun.state.resources?.filter(({ type }) => type === 'test:index:Thing')
  expect(things).toHaveLength(2 * outerCount)
}, 180_000)

import { afterEach, expect, test } from 'vitest'
import { limits } from '../../../shared/config/limits.ts'
import { createCloud } from '../cloud.ts'
import { createComponentScript, registerComponent, registerSelf } from '../components.ts'
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

test('registrations and function calls inside Construct proceed, even if the constructed components fill the window', async () => {
  const script = createComponentScript({
    construct: async (request, monitor) => {
      const urn = await registerSelf(request, monitor)
      const { count } = await monitor.invoke('test:index:count')
      await registerThing(monitor, `${request.name}-child`, { v: count }, { parent: urn })
      return { urn }
    },
  })
  const engine = await engines.open(createCloud(), { comp: script })
  const componentCount = limits.registrationsInWindow + 50
  const testRun = await engine.run(async monitor => {
    const names = Array.from({ length: componentCount }, (_, index) => `component-${index}`)
    await Promise.all(names.map(name => registerComponent(monitor, name)))
  })
  expect(testRun.result.result).toBe('succeeded')
  const things = testRun.state.resources?.filter(({ type }) => type === 'test:index:Thing')
  expect(things).toHaveLength(componentCount)
}, 180_000)

import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { component, componentScript, itself } from '../components.ts'
import type { Monitor } from '../engine.ts'
import { closeFunctions, functionsOf } from '../functions-of-programs.ts'
import { named } from '../states.ts'
import { createEngines, thing } from '../things.ts'

const engines = createEngines()
afterEach(async () => {
  closeFunctions()
  await engines.close()
})

/** A provider whose component has one child with `v: 1`. */
const script = componentScript({
  make: async (request, monitor) => {
    const urn = await itself(request, monitor)
    await thing(monitor, 'inner', { v: 1 }, { parent: urn })
    return { urn }
  },
})

/** A transform that adds one to `v` of things, and notes below which parent they are. */
async function adding(monitor: Monitor, parents: string[]) {
  const functions = await functionsOf(monitor)
  const add = functions.transform(({ type, parent, properties }) => {
    if (type !== 'test:index:Thing') return {}
    parents.push(parent)
    const given: unknown = properties?.['v']
    const plain = typeof given === 'number' ? given : Number(Object(given).value)
    return { properties: { ...properties, v: plain + 1 } }
  })
  return { functions, add }
}

const inner = 'urn:pulumi:dev::life::comp:index:Group$test:index:Thing::inner'

test('TestRemoteTransformationsConstruct: those of the stack reach what a provider registers', async () => {
  const engine = await engines.of(createCloud(), { comp: script })
  const parents: string[] = []
  const ran = await engine.run(async monitor => {
    const { functions, add } = await adding(monitor, parents)
    await functions.stackTransform(add)
    await component(monitor, 'c')
  })
  expect(ran.result.result).toBe('succeeded')
  expect(named(ran.state, 'inner')).toMatchObject({ urn: inner, inputs: { v: 2 } })
  expect(parents).toEqual(['urn:pulumi:dev::life::comp:index:Group::c'])
})

test('TestRemoteComponentTransforms: those of a component reach its children in its provider, once', async () => {
  const engine = await engines.of(createCloud(), { comp: script })
  const ran = await engine.run(async monitor => {
    const { add } = await adding(monitor, [])
    await component(monitor, 'c', { transforms: [add] })
  })
  expect(ran.result.result).toBe('succeeded')
  expect(named(ran.state, 'inner')).toMatchObject({ urn: inner, inputs: { v: 2 } })
})

import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { registerComponent, createComponentScript, registerSelf } from '../components.ts'
import type { Monitor } from '../engine.ts'
import { closeProgramFunctions, openProgramFunctions } from '../program-functions.ts'
import { findResource } from '../stack-states.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(async () => {
  closeProgramFunctions()
  await engines.close()
})

/** A provider whose component has one child with `v: 1`. */
const script = createComponentScript({
  construct: async (request, monitor) => {
    const urn = await registerSelf(request, monitor)
    await registerThing(monitor, 'inner', { v: 1 }, { parent: urn })
    return { urn }
  },
})

/** Creates a transform that adds one to `v` of things, and records their parents. */
async function createAddingTransform(monitor: Monitor, parents: string[]) {
  const functions = await openProgramFunctions(monitor)
  const add = functions.addTransform(({ type, parent, properties }) => {
    if (type !== 'test:index:Thing') return {}
    parents.push(parent)
    const value: unknown = properties?.['v']
    // The engine may wrap the value as an output.
    const plain = typeof value === 'number' ? value : Number(Object(value).value)
    return { properties: { ...properties, v: plain + 1 } }
  })
  return { functions, add }
}

const inner = 'urn:pulumi:dev::life::comp:index:Group$test:index:Thing::inner'

test('TestRemoteTransformationsConstruct: stack transforms apply to the registrations of a provider', async () => {
  const engine = await engines.open(createCloud(), { comp: script })
  const parents: string[] = []
  const testRun = await engine.run(async monitor => {
    const { functions, add } = await createAddingTransform(monitor, parents)
    await functions.registerStackTransform(add)
    await registerComponent(monitor, 'c')
  })
  expect(testRun.result.result).toBe('succeeded')
  expect(findResource(testRun.state, 'inner')).toMatchObject({ urn: inner, inputs: { v: 2 } })
  expect(parents).toEqual(['urn:pulumi:dev::life::comp:index:Group::c'])
})

test('TestRemoteComponentTransforms: the transforms of a component apply once to the children that its provider registers', async () => {
  const engine = await engines.open(createCloud(), { comp: script })
  const testRun = await engine.run(async monitor => {
    const { add } = await createAddingTransform(monitor, [])
    await registerComponent(monitor, 'c', { transforms: [add] })
  })
  expect(testRun.result.result).toBe('succeeded')
  expect(findResource(testRun.state, 'inner')).toMatchObject({ urn: inner, inputs: { v: 2 } })
})

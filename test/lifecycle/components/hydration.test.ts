import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import {
  registerComponent,
  createComponentScript,
  registerSelf,
  wireValues,
} from '../components.ts'
import type { Monitor } from '../engine.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const getResource = async (monitor: Monitor, urn: unknown): Promise<Record<string, unknown>> =>
  (await monitor.invokeWith({ tok: 'pulumi:pulumi:getResource', args: { urn } })).return ?? {}

/**
 * Opens an engine with two components. `maker` registers or reads a resource and returns a
 * reference to it. `taker` receives the reference, and returns the resource that it finds.
 */
async function openScene(makerAction: 'registers' | 'reads') {
  const cloud = createCloud()
  cloud.objects.set('custom-1', { foo: 'bar' })
  const script = createComponentScript({
    construct: async (request, monitor) => {
      const urn = await registerSelf(request, monitor)
      if (request.name === 'taker') {
        const custom = Object(request.inputs?.['custom'])
        return { urn, state: await getResource(monitor, custom.value?.urn ?? custom.urn) }
      }
      const custom =
        makerAction === 'reads'
          ? { id: 'custom-1', urn: (await monitor.read('custom', 'custom-1', { parent: urn })).urn }
          : await registerThing(monitor, 'custom', { foo: 'bar' }, { parent: urn })
      const reference = wireValues.reference({ urn: custom.urn, id: custom.id })
      return { urn, state: { custom: reference } }
    },
  })
  return engines.open(cloud, { comp: script })
}

const urn = 'urn:pulumi:dev::life::comp:index:Group$test:index:Thing::custom'
const foundResource = {
  urn,
  id: 'custom-1',
  provider: expect.stringMatching(/^urn:pulumi:dev::life::pulumi:providers:test::default::/),
  state: { foo: 'bar' },
}

async function checkLookupByProgram(makerAction: 'registers' | 'reads'): Promise<void> {
  const engine = await openScene(makerAction)
  let resource: unknown
  await engine.run(async monitor => {
    const maker = await registerComponent(monitor, 'maker')
    resource = await getResource(monitor, Object(maker.object?.['custom']).urn)
  })
  expect(resource).toEqual(foundResource)
}

async function checkLookupByComponent(makerAction: 'registers' | 'reads'): Promise<void> {
  const engine = await openScene(makerAction)
  let resource: unknown
  await engine.run(async monitor => {
    const maker = await registerComponent(monitor, 'maker')
    const taker = await registerComponent(monitor, 'taker', {
      object: { custom: maker.object?.['custom'] },
    })
    resource = taker.object
  })
  expect(resource).toEqual(foundResource)
}

test('TestComponentRegisteredResourceOutputCanBeHydratedByProgram: the program looks up a resource that a component registered', () =>
  checkLookupByProgram('registers'))
test('TestComponentRegisteredResourceOutputCanBeHydratedByComponent: a component looks up a resource that another one registered', () =>
  checkLookupByComponent('registers'))
test('TestComponentReadResourceOutputCanBeHydratedByProgram: the program looks up a resource that a component read', () =>
  checkLookupByProgram('reads'))
test('TestComponentReadResourceOutputCanBeHydratedByComponent: a component looks up a resource that another one read', () =>
  checkLookupByComponent('reads'))

test('a component is found with its registered outputs, and an unregistered URN is not found', async () => {
  const engine = await openScene('registers')
  const results: unknown[] = []
  await engine.run(async monitor => {
    const local = await monitor.register({ type: 'local', name: 'l', object: {} })
    await monitor.registerOutputs(local.urn, { out: 1 })
    results.push(await getResource(monitor, local.urn))
    results.push(await getResource(monitor, `${local.urn}-not`).catch(String))
  })
  expect(results).toEqual([
    { urn: 'urn:pulumi:dev::life::local::l', id: '', provider: '', state: { out: 1 } },
    expect.stringContaining('unknown resource urn:pulumi:dev::life::local::l-not'),
  ])
})

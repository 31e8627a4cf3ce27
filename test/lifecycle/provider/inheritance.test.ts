import { afterEach, expect, test } from 'vitest'
import type { ConstructRequest } from '../../../proto/gen/pulumi/provider.ts'
import { createCloud } from '../cloud.ts'
import {
  registerComponent,
  createComponentScript,
  registerSelf,
  resourceUrnOf,
} from '../components.ts'
import type { Monitor, Program } from '../engine.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/**
 * Runs a program in an engine with two packages that construct components, and returns the states.
 */
async function runProgram(program: Program) {
  const cloud = createCloud()
  const requests: ConstructRequest[] = []
  const script = createComponentScript(
    {
      construct: async (request, monitor) => {
        requests.push(request)
        const { deletedWith, protect } = request
        return { urn: await registerSelf(request, monitor, { deletedWith, protect }) }
      },
    },
    cloud.script,
  )
  const engine = await engines.open(cloud, { comp: script, other: script })
  const { result, state } = await engine.run(program)
  expect(result.result).toBe('succeeded')
  const findState = (name: string) => state.resources?.find(({ urn }) => urn.endsWith(`::${name}`))
  const referenceOf = (name: string, type: string): string => {
    const resource = state.resources?.find(
      resource => resource.type === type && resource.urn.endsWith(`::${name}`),
    )
    return `${resource?.urn}::${resource?.['id'] as string}`
  }
  return { findState, referenceOf, requests }
}

const registerProvider = async (monitor: Monitor, pkg: string, name: string): Promise<string> => {
  const type = `pulumi:providers:${pkg}`
  const { urn, id } = await monitor.register({ type, name, custom: true, object: {} })
  return `${urn}::${id}`
}

test('TestDeletedWithOptionInheritance: a child inherits deletedWith from its parent', async () => {
  const { findState } = await runProgram(async monitor => {
    const gone = await monitor.register({ type: 'local', name: 'gone' })
    const parent = await registerThing(monitor, 'a', {}, { deletedWith: gone.urn, protect: true })
    await registerThing(monitor, 'b', {}, { parent: parent.urn })
    await registerThing(
      monitor,
      'c',
      {},
      { parent: parent.urn, protect: false, retainOnDelete: true },
    )
  })
  const gone = resourceUrnOf('gone', 'local')
  expect(findState('a')).toMatchObject({ deletedWith: gone, protect: true })
  expect(findState('b')).toMatchObject({ deletedWith: gone, protect: true })
  expect(findState('c')).toMatchObject({ deletedWith: gone, retainOnDelete: true })
  expect(findState('c')?.['protect']).toBeUndefined()
})

test('TestDeletedWithOptionInheritanceMLC: a child of a component that a provider constructs inherits deletedWith', async () => {
  const { findState, requests } = await runProgram(async monitor => {
    const gone = await monitor.register({ type: 'local', name: 'gone' })
    const parent = await registerComponent(monitor, 'a', { deletedWith: gone.urn })
    await registerThing(monitor, 'b', {}, { parent: parent.urn })
    await registerComponent(monitor, 'c', { parent: parent.urn })
  })
  const gone = resourceUrnOf('gone', 'local')
  for (const name of ['a', 'b', 'c']) expect(findState(name)).toMatchObject({ deletedWith: gone })
  expect(requests.map(({ deletedWith }) => deletedWith)).toEqual([gone, gone])
})

test('TestProviderOptionInheritance: a child inherits the provider of its parent', async () => {
  const { findState, referenceOf } = await runProgram(async monitor => {
    const provider = await registerProvider(monitor, 'test', 'p')
    const parent = await registerThing(monitor, 'a', {}, { provider })
    await registerThing(monitor, 'b', {}, { parent: parent.urn })
  })
  const provider = referenceOf('p', 'pulumi:providers:test')
  expect(findState('a')?.['provider']).toBe(provider)
  expect(findState('b')?.['provider']).toBe(provider)
})

test('TestProvidersOptionInheritance: a child inherits the provider that its parent took from its option providers', async () => {
  const { findState, referenceOf } = await runProgram(async monitor => {
    const provider = await registerProvider(monitor, 'test', 'p')
    const other = await registerProvider(monitor, 'test', 'q')
    const providers = new Map([['test', provider]])
    const parent = await registerThing(monitor, 'a', {}, { providers })
    await registerThing(monitor, 'b', {}, { parent: parent.urn })
    // For `c`, the provider of its parent has priority over its own `providers`.
    await registerThing(
      monitor,
      'c',
      {},
      { parent: parent.urn, providers: new Map([['test', other]]) },
    )
    await registerThing(monitor, 'd', {}, { parent: parent.urn, provider: other })
  })
  const provider = referenceOf('p', 'pulumi:providers:test')
  for (const name of ['a', 'b', 'c']) expect(findState(name)?.['provider']).toBe(provider)
  expect(findState('d')?.['provider']).toBe(referenceOf('q', 'pulumi:providers:test'))
})

test('TestProvidersOptionInheritanceRemote: a remote component inherits a provider only for its own package', async () => {
  const { findState, referenceOf } = await runProgram(async monitor => {
    const provider = await registerProvider(monitor, 'comp', 'p')
    const parent = await monitor.register({
      type: 'comp:index:Thing',
      name: 'a',
      custom: true,
      object: {},
      providers: new Map([['comp', provider]]),
    })
    await registerComponent(monitor, 'b', { parent: parent.urn })
    await registerComponent(monitor, 'c', { type: 'other:index:Group', parent: parent.urn })
  })
  const provider = referenceOf('p', 'pulumi:providers:comp')
  expect(findState('a')?.['provider']).toBe(provider)
  expect(findState('b')?.['provider']).toBeUndefined()
  expect(findState('c')?.['provider']).toBeUndefined()
  // The first package needed no default provider; the second one did.
  expect(referenceOf('default', 'pulumi:providers:comp')).toContain('undefined')
  expect(referenceOf('default', 'pulumi:providers:other')).not.toContain('undefined')
})

test('TestComponentProvidersInheritance: providers are inherited through components only', async () => {
  const { requests, referenceOf } = await runProgram(async monitor => {
    const provider = await registerProvider(monitor, 'test', 'p')
    const providers = new Map([['test', provider]])
    const local = await monitor.register({ type: 'my_component', name: 'a', providers })
    const inner = await monitor.register({ type: 'my_component', name: 'i', parent: local.urn })
    await registerComponent(monitor, 'b', { parent: inner.urn })
    const custom = await registerThing(monitor, 'c', {}, { providers })
    await registerComponent(monitor, 'd', { parent: custom.urn })
  })
  const provider = referenceOf('p', 'pulumi:providers:test')
  const providersByName = requests.map(({ name, providers }) => [name, [...providers]])
  expect(providersByName).toEqual([
    ['b', [['test', provider]]],
    ['d', []],
  ])
})

test('TestDefaultProviderInheritance: a child of another package uses the default provider of its own package', async () => {
  const { findState } = await runProgram(async monitor => {
    const parent = await registerThing(monitor, 'a', {})
    await monitor.register({
      type: 'other:index:Thing',
      name: 'b',
      custom: true,
      object: {},
      parent: parent.urn,
    })
  })
  expect(findState('a')?.['provider']).toContain('pulumi:providers:test::default')
  expect(findState('b')?.['provider']).toContain('pulumi:providers:other::default')
})

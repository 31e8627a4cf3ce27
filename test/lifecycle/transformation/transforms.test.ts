import { afterEach, expect, test } from 'vitest'
import {
  RegisterResourceRequest,
  ResourceInvokeRequest,
  type ResourceInvokeResponse,
  type TransformRequest,
  TransformResourceOptions,
} from '../../../proto/gen/pulumi/resource.ts'
import type { InvokeRequest } from '../../../proto/gen/pulumi/provider.ts'
import { createCloud } from '../cloud.ts'
import type { Monitor, TestRun } from '../engine.ts'
import { closeProgramFunctions, openProgramFunctions } from '../program-functions.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(async () => {
  closeProgramFunctions()
  await engines.close()
})

/** The key that marks special values in the wire format of Pulumi. Its value names their kind. */
const signature = '4dabf18193072939515e22adb298388d'
const registerGroup = (monitor: Monitor, name: string, more: object = {}) =>
  monitor.register({ type: 'test:index:Group', name, object: {}, ...more })
const stateOf = ({ state }: TestRun, name: string) =>
  state.resources?.find(({ urn }) => urn.endsWith(`::${name}`))
/** Returns a value without its output wrapper, if it has one. */
const unwrapOutput = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && signature in value && 'value' in value
    ? value.value
    : value

test('TestRemoteTransforms: own transforms run first, then those of the parents, then those of the stack', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const testRun = await engine.run(async monitor => {
    const functions = await openProgramFunctions(monitor)
    const addWordTransform = (word: string) =>
      functions.addTransform(({ type, properties }) =>
        type === 'test:index:Thing'
          ? {
              properties: { ...properties, v: `${String(unwrapOutput(properties?.['v']))}${word}` },
            }
          : {},
      )
    await functions.registerStackTransform(addWordTransform('5'))
    const parentGroup = await registerGroup(monitor, 'above', {
      transforms: [addWordTransform('4')],
    })
    const parent = await registerGroup(monitor, 'parent', {
      parent: parentGroup.urn,
      transforms: [addWordTransform('3')],
    })
    await registerThing(
      monitor,
      'a',
      { v: '0' },
      { parent: parent.urn, transforms: [addWordTransform('1'), addWordTransform('2')] },
    )
    await functions.registerStackTransform(addWordTransform('6'))
    await registerThing(monitor, 'b', { v: '0' }, { parent: parent.urn })
  })
  expect(testRun.result.result).toBe('succeeded')
  expect(stateOf(testRun, 'a')?.['inputs']).toEqual({ v: '012345' })
  expect(stateOf(testRun, 'b')?.['inputs']).toEqual({ v: '03456' })
})

test('TestRemoteTransformBadResponse, TestRemoteTransformErrorResponse: if a transform fails or responds wrongly, the run fails, and nothing is created', async () => {
  for (const [badTransform, message] of [
    [() => new Uint8Array([10, 255, 1]), 'invoke transform: '],
    [
      () => {
        throw new Error('transform failed: no')
      },
      'invoke transform: transform failed: no',
    ],
  ] as const) {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    let failed = ''
    const testRun = await engine.run(async monitor => {
      const functions = await openProgramFunctions(monitor)
      const transforms = [functions.addRawFunction(badTransform)]
      await registerThing(monitor, 'a', { v: 1 }, { transforms }).catch((thrown: unknown) => {
        failed = String(thrown)
        throw thrown
      })
    })
    expect(testRun.result.result).toBe('failed')
    expect(failed).toContain(message)
    expect(cloud.mutatingCalls).toEqual([])
  }
})

test('TestRemoteTransformsOptions, TestTransformsProviderOpt: a transform receives and returns all options', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const seen: TransformRequest[] = []
  let explicit = ''
  const testRun = await engine.run(async monitor => {
    const functions = await openProgramFunctions(monitor)
    const provider = await monitor.register({
      type: 'pulumi:providers:test',
      name: 'explicit',
      custom: true,
      object: {},
    })
    explicit = `${provider.urn}::${provider.id}`
    const other = await registerThing(monitor, 'other', { v: 1 })
    const change = functions.addTransform(request => {
      seen.push(request)
      return {
        options: TransformResourceOptions.create({
          dependsOn: [other.urn],
          protect: true,
          ignoreChanges: ['i'],
          replaceOnChanges: ['r'],
          aliases: [{ alias: { $case: 'urn', value: 'urn:pulumi:dev::life::a:b:C::old' } }],
          provider: explicit,
          customTimeouts: { create: '2s', update: '3s', delete: '4s', read: '' },
          retainOnDelete: true,
          deletedWith: other.urn,
          deleteBeforeReplace: true,
          additionalSecretOutputs: ['s'],
          hideDiff: ['h'],
          replaceWith: [other.urn],
          replacementTrigger: 'now',
        }),
      }
    })
    await registerThing(
      monitor,
      'a',
      { v: 1 },
      {
        protect: false,
        ignoreChanges: ['x'],
        customTimeouts: { create: '1m', update: '', delete: '', read: '' },
        transforms: [change],
      },
    )
  })
  expect(seen).toMatchObject([
    {
      type: 'test:index:Thing',
      name: 'a',
      custom: true,
      parent: 'urn:pulumi:dev::life::pulumi:pulumi:Stack::life-dev',
      options: { protect: false, ignoreChanges: ['x'], provider: '', dependsOn: [] },
    },
  ])
  const other = stateOf(testRun, 'other')?.urn
  expect(stateOf(testRun, 'a')).toMatchObject({
    dependencies: [other],
    protect: true,
    ignoreChanges: ['i'],
    replaceOnChanges: ['r'],
    provider: explicit,
    customTimeouts: { create: 2, update: 3, delete: 4 },
    retainOnDelete: true,
    deletedWith: other,
    additionalSecretOutputs: ['s'],
    hideDiff: ['h'],
    replaceWith: [other],
    replacementTrigger: 'now',
  })
})

test('TestRemoteTransformsDependencies: a property that a transform sets has the dependencies of its new value', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const testRun = await engine.run(async monitor => {
    const functions = await openProgramFunctions(monitor)
    const one = await registerThing(monitor, 'one', { v: 1 })
    const two = await registerThing(monitor, 'two', { v: 1 })
    const toOutput = (urn: string) => ({
      [signature]: 'd0e6a833031e9bbcd3f4e8bde6ca49a4',
      value: 'x',
      dependencies: [urn],
    })
    const change = functions.addTransform(({ properties, options }) => ({
      properties: { ...properties, w: toOutput(two.urn) },
      options,
    }))
    const depending = {
      dependencies: [one.urn],
      propertyDependencies: new Map([['v', { urns: [one.urn] }]]),
    }
    await registerThing(monitor, 'own', { v: 1 }, { ...depending, transforms: [change] })
    // A change of `dependsOn` has no effect on a resource without a transform of its own.
    await functions.registerStackTransform(
      functions.addTransform(({ options }) => ({
        options: TransformResourceOptions.create({ ...options, dependsOn: [two.urn] }),
      })),
    )
    await registerThing(monitor, 'stack', { v: 1 }, depending)
  })
  const urnOf = (name: string) => stateOf(testRun, name)?.urn
  expect(stateOf(testRun, 'own')).toMatchObject({
    inputs: { v: 1, w: 'x' },
    dependencies: [urnOf('one'), urnOf('two')],
    propertyDependencies: { v: [urnOf('one')], w: [urnOf('two')] },
  })
  expect(stateOf(testRun, 'stack')).toMatchObject({ dependencies: [urnOf('one')] })
})

const invoke = (monitor: Monitor, args: object): Promise<ResourceInvokeResponse> =>
  new Promise((done, failed) =>
    monitor.client.invoke(
      ResourceInvokeRequest.create({ tok: 'test:index:echo', args }),
      (thrown, answer) => (thrown === null ? done(answer) : failed(thrown)),
    ),
  )

test('TestTransformInvoke, TestTransformInvokeTransformProvider: transforms apply to function calls, too', async () => {
  const cloud = createCloud()
  const requests: unknown[] = []
  const script = cloud.script
  const engine = await engines.open({
    ...cloud,
    script: {
      ...script,
      invoke: (providerRequest: InvokeRequest) => {
        requests.push(providerRequest.args)
        return { return: providerRequest.args, failures: [] }
      },
    },
  })
  let returnValue: unknown
  const seen: unknown[] = []
  await engine.run(async monitor => {
    const functions = await openProgramFunctions(monitor)
    const provider = await monitor.register({
      type: 'pulumi:providers:test',
      name: 'explicit',
      custom: true,
      object: {},
    })
    await functions.registerInvokeTransform(({ token, args, options }) => {
      seen.push([token, args])
      const changed = { pluginDownloadUrl: '', version: '', pluginChecksums: new Map() }
      return {
        args: { ...args, more: 1 },
        options: { ...options, ...changed, provider: `${provider.urn}::${provider.id}` },
      }
    })
    await functions.registerInvokeTransform(({ args }) => {
      seen.push(args)
      return {}
    })
    returnValue = (await invoke(monitor, { v: 1 })).return
  })
  expect(seen).toEqual([['test:index:echo', { v: 1 }], { v: 1, more: 1 }])
  expect(requests).toEqual([{ v: 1, more: 1 }])
  expect(returnValue).toEqual({ v: 1, more: 1 })
})

test('TestTransformOrdering: a transform may wait for a resource that is registered later', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const testRun = await engine.run(async monitor => {
    const functions = await openProgramFunctions(monitor)
    const later = Promise.withResolvers<string>()
    const waitingTransform = functions.addTransform(async ({ properties }) => ({
      properties: { ...properties, id: await later.promise },
    }))
    const first = registerThing(monitor, 'first', { v: 1 }, { transforms: [waitingTransform] })
    const second = await registerThing(monitor, 'second', { v: 1 })
    later.resolve(second.id)
    await first
  })
  expect(testRun.result.result).toBe('succeeded')
  expect(stateOf(testRun, 'first')?.['inputs']).toMatchObject({ id: 'second-1' })
})

test('TestAssetArchiveRoundtrip, TestRemoteTransformByteString: asset hashes and strings that are not UTF-8 are preserved', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const seen: unknown[] = []
  const bytes = { [signature]: '803fd3297a5875dc03ca845dda5d2a98', value: '//79' }
  const asset = { [signature]: 'c44067f5952c0a294b673a41bacd8c17', text: 'hello' }
  const hash = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'
  const testRun = await engine.run(async monitor => {
    const functions = await openProgramFunctions(monitor)
    const recordingTransform = functions.addTransform(({ properties }) => {
      seen.push(properties)
      return { properties }
    })
    // The test provider refuses strings that are not UTF-8. A component has no provider.
    await registerGroup(monitor, 'a', {
      object: { asset, bytes },
      transforms: [recordingTransform],
    })
  })
  expect(seen).toMatchObject([{ asset: { text: 'hello', hash }, bytes }])
  expect(stateOf(testRun, 'a')?.['inputs']).toMatchObject({ asset: { hash, text: 'hello' }, bytes })
})

test('the transforms of a remote component are taken once, by the registration of its Construct call', async () => {
  const { createTransforms } = await import('../../../shared/engine/monitor/transforms.ts')
  const transforms = createTransforms()
  const callback = { target: 'there', token: 'own', acceptsByteString: true }
  const requestWith = (more: Partial<RegisterResourceRequest>): RegisterResourceRequest =>
    RegisterResourceRequest.create({ type: 'a:b:C', name: 'c', parent: '', ...more })
  expect(
    transforms.takeApplicable(requestWith({ remote: true, transforms: [callback] })).ownTransforms,
  ).toEqual([callback])
  // The registration of its Construct call has no transforms of its own.
  const applicable = transforms.takeApplicable(requestWith({}))
  expect(applicable.ownTransforms).toEqual([callback])
  transforms.noteRegistered('urn:c', '', applicable.ownTransforms)
  expect(transforms.takeApplicable(requestWith({})).ownTransforms).toEqual([])
  expect(
    transforms.takeApplicable(requestWith({ name: 'child', parent: 'urn:c' })).allTransforms,
  ).toEqual([callback])
})

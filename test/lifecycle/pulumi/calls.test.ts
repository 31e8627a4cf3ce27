import { afterEach, expect, test } from 'vitest'
import {
  type CheckRequest,
  CheckResponse,
  type CreateRequest,
  CreateResponse,
  type DeleteRequest,
  type DiffRequest,
  DiffResponse,
  PropertyDiff_Kind,
  type UpdateRequest,
  UpdateResponse,
} from '../../../proto/gen/pulumi/provider.ts'
import { createInitFailure } from '../../../shared/providers/pulumi/scripted-server.fixture.ts'
import type { PluginHost } from '../../../shared/providers/provider.ts'
import { signatureKey } from '../../../shared/values/wire-options.ts'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { createScriptedPluginHost } from '../scripted-hosts.ts'
import { errorsOf, diagnosticsOf, statesOf, stepsOf } from '../run-events.ts'
import { createEngines, toWireSecret, registerThing, createThings } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

test('TestCheckFailureRecord, TestCheckFailureInvalidPropertyRecord: check failures are reported for their resource', async () => {
  const failed = { property: 'someprop', reason: 'field is not valid' }
  const cases = [
    [() => Promise.reject(new Error('oh no, check had an error')), 'oh no, check had an error'],
    [() => CheckResponse.create({ failures: [failed] }), 'field is not valid'],
  ] as const
  for (const [check, text] of cases) {
    const cloud = createCloud()
    const engine = await engines.open({ ...cloud, script: { ...cloud.script, check } })
    const testRun = await engine.run(createThings({ a: { someprop: 1 } }))
    expect(testRun.result.result).toBe('failed')
    const details = errorsOf(testRun).filter(line => line.startsWith('a: '))
    expect(details.join()).toContain(text)
    expect(cloud.mutatingCalls).toEqual([])
    expect(statesOf(testRun, 'a')).toEqual([])
  }
})

test('TestUpdatePartialFailure: the new outputs and the old inputs are stored', async () => {
  const cloud = createCloud()
  const script = {
    ...cloud.script,
    update: () => {
      throw createInitFailure({ id: 'a-1', properties: { out: 42 }, reasons: ['not yet'] })
    },
  }
  const engine = await engines.open({ ...cloud, script })
  await engine.run(createThings({ a: { prop: 'old' } }))
  const testRun = await engine.run(createThings({ a: { prop: 'new' } }))
  expect(testRun.result.result).toBe('failed')
  expect(stepsOf(testRun)).toEqual(['update a'])
  expect(statesOf(testRun, 'a')).toMatchObject([
    { inputs: { prop: 'old' }, outputs: { out: 42 }, initErrors: ['not yet'] },
  ])
})

test('TestLoadFailureShutdown: a plugin that cannot be loaded ends the run and its program', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const plugins: PluginHost = createScriptedPluginHost(pkg => {
    if (pkg === 'broken') throw new Error('broken cannot be loaded')
    return engine.provider.createInstance()
  })
  const createProviderInput = (pkg: string) => ({
    type: `pulumi:providers:${pkg}`,
    name: pkg,
    custom: true,
  })
  let didContinue = false
  const program: Program = async monitor => {
    await monitor.register(createProviderInput('test'))
    await monitor.register(createProviderInput('broken'))
    didContinue = true
  }
  for (const dryRun of [true, false]) {
    const testRun = await engine.run(program, { plugins, dryRun })
    expect(testRun.result.result).toBe('failed')
    expect(diagnosticsOf(testRun).join()).toContain('broken cannot be loaded')
    expect(didContinue).toBe(false)
  }
})

test('TestPersistentDiff: a difference that the provider reports is updated although the inputs are equal', async () => {
  const cloud = createCloud()
  const diff = () => DiffResponse.create({ changes: 2 })
  const engine = await engines.open({ ...cloud, script: { ...cloud.script, diff } })
  await engine.run(createThings({ a: {} }))
  for (const dryRun of [true, false]) {
    const testRun = await engine.run(createThings({ a: {} }), { dryRun })
    expect(stepsOf(testRun)).toEqual(['update a'])
  }
  expect(cloud.mutatingCalls).toEqual(['create a', 'update a-1'])
  for (const dryRun of [true, false]) {
    const testRun = await engine.run(createThings({ a: {} }), { dryRun, legacyDiff: true })
    expect(stepsOf(testRun)).toEqual(['same a'])
  }
  const changed = await engine.run(createThings({ a: { x: 1 } }), { legacyDiff: true })
  expect(stepsOf(changed)).toEqual(['update a'])
})

test('TestDetailedDiffReplace: a detailed diff of a replacing kind suffices for a replacement', async () => {
  const cloud = createCloud()
  const detailedDiff = new Map([
    ['prop', { kind: PropertyDiff_Kind.ADD_REPLACE, inputDiff: false }],
  ])
  const diff = () => DiffResponse.create({ changes: 2, detailedDiff, hasDetailedDiff: true })
  const engine = await engines.open({ ...cloud, script: { ...cloud.script, diff } })
  await engine.run(createThings({ a: {} }))
  const shown = await engine.run(createThings({ a: {} }), { dryRun: true })
  expect(stepsOf(shown)).toContain('replace a')
})

test('TestAutomaticDiff: the comparison by the engine reports a difference of inputs', async () => {
  const cloud = createCloud()
  const diff = () => DiffResponse.create({})
  const engine = await engines.open({ ...cloud, script: { ...cloud.script, diff } })
  await engine.run(createThings({ a: { foo: 1 } }))
  const shown = await engine.run(createThings({ a: { foo: 2 } }), { dryRun: true })
  const details = shown.events.flatMap(event =>
    'resourcePreEvent' in event && event.resourcePreEvent.metadata.urn.endsWith('::a')
      ? [event.resourcePreEvent.metadata]
      : [],
  )
  expect(details).toMatchObject([
    {
      op: 'update',
      diffs: ['foo'],
      detailedDiff: { foo: { diffKind: 'update', inputDiff: true } },
    },
  ])
})

test('TestCustomTimeouts: custom timeouts are stored in seconds', async () => {
  const engine = await engines.open(createCloud())
  const customTimeouts = { create: '60s', update: '4m', delete: '1m0s', read: '30s' }
  const testRun = await engine.run(async monitor => {
    await registerThing(monitor, 'a', {}, { customTimeouts })
  })
  expect(statesOf(testRun, 'a')).toMatchObject([
    { customTimeouts: { create: 60, update: 240, delete: 60, read: 30 } },
  ])
})

test('TestMissingRead: a missing object cannot be read', async () => {
  const engine = await engines.open(createCloud())
  let didContinue = false
  const testRun = await engine.run(async monitor => {
    await monitor.read('a', 'some-id')
    didContinue = true
  })
  expect(testRun.result.result).toBe('failed')
  expect(diagnosticsOf(testRun).join()).toContain("resource 'some-id' does not exist")
  expect([didContinue, statesOf(testRun, 'a')]).toEqual([false, []])
})

test('TestInvalidGetIDReportsUserError: a read without an id is an error of the program', async () => {
  const engine = await engines.open(createCloud())
  for (const dryRun of [true, false]) {
    const testRun = await engine.run(async monitor => void (await monitor.read('a', '')), {
      dryRun,
    })
    expect(testRun.result.result).toBe('failed')
    expect(errorsOf(testRun).join()).toMatch(/^a: Expected an ID for urn:.*::a/)
  }
})

test('TestOldCheckedInputsAreSent: the previous checked inputs are part of each later check, diff, update and delete', async () => {
  const cloud = createCloud()
  const calls: unknown[] = []
  const merge = (properties: object | undefined, more: object) => ({ ...properties, ...more })
  const script = {
    ...cloud.script,
    check: ({ olds, news }: CheckRequest) => {
      calls.push(['check', olds ?? {}, news])
      return CheckResponse.create({ inputs: merge(news, { default: 'default' }) })
    },
    diff: ({ olds, oldInputs, news }: DiffRequest) => {
      calls.push(['diff', olds, oldInputs, news])
      return DiffResponse.create({})
    },
    create: ({ properties, preview }: CreateRequest) =>
      CreateResponse.create({
        id: preview ? '' : '1',
        properties: merge(properties, { computed: 'computed' }),
      }),
    update: ({ olds, oldInputs, news }: UpdateRequest) => {
      calls.push(['update', olds, oldInputs, news])
      return UpdateResponse.create({ properties: merge(news, { computed: 'computed' }) })
    },
    delete: ({ properties, oldInputs }: DeleteRequest) => {
      calls.push(['delete', properties, oldInputs])
      return {}
    },
  }
  const engine = await engines.open({ ...cloud, script })
  const [inputs, next] = ['bar', 'baz'].map(foo => ({ foo, default: 'default' }))
  const firstRun = await engine.run(createThings({ a: { foo: 'bar' } }))
  const outputs = { ...inputs, computed: 'computed' }
  expect(statesOf(firstRun, 'a')).toMatchObject([{ inputs, outputs }])
  expect(calls.splice(0)).toEqual([['check', {}, { foo: 'bar' }]])
  const testRun = await engine.run(createThings({ a: { foo: 'baz' } }))
  expect(statesOf(testRun, 'a')).toMatchObject([
    { inputs: next, outputs: { ...next, computed: 'computed' } },
  ])
  expect(calls.splice(0)).toEqual([
    ['check', inputs, { foo: 'baz' }],
    ['diff', outputs, inputs, next],
    ['update', outputs, inputs, next],
  ])
  const destroyRun = await engine.run(undefined, { command: 'destroy' })
  expect(destroyRun.state.resources ?? []).toEqual([])
  expect(calls).toEqual([['delete', { ...next, computed: 'computed' }, next]])
})

test('TestEventSecrets: events and states report the change of a secret without its values', async () => {
  const engine = await engines.open(createCloud())
  const createHooksInput = (service: string) => ({ hooks: toWireSecret([{ client: { service } }]) })
  await engine.run(createThings({ a: createHooksInput('foo-service') }))
  const testRun = await engine.run(createThings({ a: createHooksInput('bar-service') }))
  expect(stepsOf(testRun)).toEqual(['update a'])
  expect(JSON.stringify([testRun.events, testRun.state])).not.toMatch(/foo-service|bar-service/)
  const details = testRun.events.flatMap(event =>
    'resourcePreEvent' in event && event.resourcePreEvent.metadata.urn.endsWith('::a')
      ? [event.resourcePreEvent.metadata]
      : [],
  )
  const shown = { hooks: { [signatureKey]: expect.any(String), ciphertext: '[secret]' } }
  expect(details).toMatchObject([
    { old: { inputs: shown, outputs: shown }, new: { inputs: shown } },
  ])
})

test('TestAdditionalSecretOutputs: named outputs become secret, and secrets stay secret', async () => {
  const engine = await engines.open(createCloud())
  const testRun = await engine.run(async monitor => {
    const additionalSecretOutputs = ['a', 'b']
    const object = { a: 'test-a', c: toWireSecret('test-c'), d: 'plain' }
    await registerThing(monitor, 'x', object, { additionalSecretOutputs })
  })
  expect(testRun.result.result).toBe('succeeded')
  // As in Pulumi, a name without an output is ignored without a warning.
  expect(diagnosticsOf(testRun, 'warning')).toEqual([])
  const sealed = { ciphertext: expect.any(String) }
  expect(statesOf(testRun, 'x')).toMatchObject([
    { additionalSecretOutputs: ['a', 'b'], outputs: { a: sealed, c: sealed, d: 'plain' } },
  ])
  expect(JSON.stringify(statesOf(testRun, 'x')[0]?.['outputs'])).not.toMatch(/test-[ac]/)
})

test('TestProviderChecksums: checksums are stored with the default provider', async () => {
  const engine = await engines.open(createCloud())
  const pluginChecksums = new Map([['windows-x64', Buffer.from([0, 1, 2, 3, 4])]])
  const testRun = await engine.run(async monitor => {
    await registerThing(monitor, 'a', {}, { pluginChecksums })
  })
  const provider = testRun.state.resources?.find(({ type }) => type === 'pulumi:providers:test')
  expect(provider?.['inputs']).toEqual({
    __internal: { pluginChecksums: { 'windows-x64': '0001020304' } },
  })
  const emptyRun = await engine.run(async () => undefined)
  expect(emptyRun.state.resources?.map(({ type }) => type)).toEqual(['pulumi:pulumi:Stack'])
})

test('TestDefaultParents: the engine never sets the stack as a parent, not even for default providers', async () => {
  const engine = await engines.open(createCloud())
  const testRun = await engine.run(async monitor => {
    await registerThing(monitor, 'without', {}, { parent: '' })
    await registerThing(monitor, 'with', {})
  })
  const parentOf = (name: string) => statesOf(testRun, name)[0]?.['parent']
  expect(parentOf('without')).toBeUndefined()
  expect(parentOf('default')).toBeUndefined()
  expect(parentOf('with')).toBe('urn:pulumi:dev::life::pulumi:pulumi:Stack::life-dev')
})

test('TestParallelDiff: two diffs run at the same time', async () => {
  const cloud = createCloud()
  let calls = 0
  let ranTogether = false
  const bothStarted = Promise.withResolvers<void>()
  const diff = async () => {
    calls += 1
    if (calls === 2) {
      ranTogether = true
      bothStarted.resolve()
    }
    const timeout = new Promise(done => setTimeout(done, 10_000))
    await Promise.race([bothStarted.promise, timeout])
    return DiffResponse.create({ changes: 1 })
  }
  const engine = await engines.open({ ...cloud, script: { ...cloud.script, diff } })
  const program: Program = async monitor =>
    void (await Promise.all(['a', 'b'].map(name => registerThing(monitor, name, {}))))
  await engine.run(program)
  const testRun = await engine.run(program, { dryRun: true })
  expect([testRun.result.result, calls, ranTogether]).toEqual(['succeeded', 2, true])
})

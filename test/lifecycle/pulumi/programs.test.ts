import { afterEach, describe, expect, test } from 'vitest'
import { status } from '@grpc/grpc-js'
import type { PluginHost } from '../../../shared/providers/provider.ts'
import { createCloud } from '../cloud.ts'
import type { TestRunOptions, Program } from '../engine.ts'
import { createScriptedPluginHost, ProgramFailed } from '../scripted-hosts.ts'
import { diagnosticsOf, statesOf, stepsOf } from '../run-events.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const emptyProgram: Program = async () => undefined

test('TestEmptyProgramLifecycle: a program without resources is deployed, refreshed and destroyed', async () => {
  const engine = await engines.open(createCloud())
  for (const command of ['up', 'up', 'refresh', 'destroy'] as const)
    for (const dryRun of [true, false]) {
      const testRun = await engine.run(command === 'up' ? emptyProgram : undefined, {
        command,
        dryRun,
      })
      expect([command, testRun.result.result]).toEqual([command, 'succeeded'])
      expect(stepsOf(testRun)).toEqual([])
    }
})

test('TestLanguageHostDiagnostics: a diagnostic of the language host is reported', async () => {
  const engine = await engines.open(createCloud())
  for (const dryRun of [true, false]) {
    const testRun = await engine.run(() => Promise.reject(new ProgramFailed('oh no')), { dryRun })
    expect(testRun.result.result).toBe('failed')
    expect(diagnosticsOf(testRun).join()).toContain('oh no')
  }
})

test('TestProgramError: a program error prevents all deletes', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(async monitor => {
    for (const name of ['a', 'b']) await registerThing(monitor, name, {})
  })
  const testRun = await engine.run(async monitor => {
    await registerThing(monitor, 'a', {})
    throw new ProgramFailed('program error')
  })
  expect(testRun.result.result).toBe('failed')
  expect(diagnosticsOf(testRun).join()).toContain('program error')
  expect(statesOf(testRun, 'a')).toHaveLength(1)
  expect(statesOf(testRun, 'b')).toHaveLength(1)
  expect(cloud.mutatingCalls).toEqual(['create a', 'create b'])
})

test('TestResourceError: a failed resource ends the run, and its registration gets no response', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  cloud.faults.add('create a')
  let didContinue = false
  const testRun = await engine.run(async monitor => {
    await registerThing(monitor, 'a', {})
    didContinue = true
  })
  expect(testRun.result.result).toBe('failed')
  expect(diagnosticsOf(testRun).join()).toContain('create a was refused')
  expect(didContinue).toBe(false)
  expect(statesOf(testRun, 'a')).toEqual([])
})

describe('a cancellation', () => {
  const cancelAt = (moment: Promise<unknown>): Pick<TestRunOptions, 'onStart'> => ({
    onStart: running => void moment.then(running.cancel),
  })

  test('TestProviderCancellation: a cancellation reaches the providers, and resources whose creates end afterwards are recorded', async () => {
    const cloud = createCloud()
    const cancelled = Promise.withResolvers<void>()
    const names = ['a', 'b', 'c', 'd']
    const holds = names.map(name => cloud.hold(name))
    void cancelled.promise.then(() => holds.forEach(({ release }) => release()))
    const engine = await engines.open(cloud)
    const plugins: PluginHost = {
      ...createScriptedPluginHost(() => engine.provider.createInstance()),
      cancelAll: async () => cancelled.resolve(),
    }
    const reached = Promise.all(holds.map(hold => hold.reached))
    const testRun = await engine.run(
      async monitor =>
        void (await Promise.all(names.map(name => registerThing(monitor, name, {})))),
      { plugins, ...cancelAt(reached) },
    )
    expect(testRun.result.result).toBe('cancelled')
    expect([...cloud.mutatingCalls].sort()).toEqual(names.map(name => `create ${name}`))
    for (const name of names) expect(statesOf(testRun, name)).toMatchObject([{ id: `${name}-1` }])
  })

  test('TestLanguageRuntimeCancellation: a cancellation ends an idle program', async () => {
    const engine = await engines.open(createCloud())
    const running = Promise.withResolvers<void>()
    const never = new Promise<never>(() => undefined)
    const program: Program = () => {
      running.resolve()
      return never
    }
    const testRun = await engine.run(program, cancelAt(running.promise))
    expect(testRun.result.result).toBe('cancelled')
  })
})

test('TestBadResourceType: custom resources, remote components and reads need a type of three parts, and local components accept any', async () => {
  const engine = await engines.open(createCloud())
  const errorOf = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (thrown: { code: number; details: string }) => thrown,
    )
  const refused = {
    code: status.INVALID_ARGUMENT,
    details: expect.stringContaining("Type 'very:bad' is not a valid type token"),
  }
  const testRun = await engine.run(async monitor => {
    const bad = { type: 'very:bad', name: 'a' }
    expect(await errorOf(monitor.register({ ...bad, custom: true }))).toMatchObject(refused)
    expect(await errorOf(monitor.register({ ...bad, remote: true }))).toMatchObject(refused)
    expect(await errorOf(monitor.read('some', 'id', { type: 'very:bad' }))).toMatchObject(refused)
    await monitor.register({ type: 'a:component', name: 'b' })
    await monitor.register({ type: 'singlename', name: 'c' })
  })
  expect(testRun.result.result).toBe('succeeded')
  expect(statesOf(testRun, 'b')).toMatchObject([{ type: 'a:component' }])
  expect(statesOf(testRun, 'c')).toMatchObject([{ type: 'singlename' }])
})

test('TestBadResourceOptionURNs: options with an invalid URN are refused, and the program may continue', async () => {
  const engine = await engines.open(createCloud())
  const bad = 'very-bad urn'
  const spec = { name: '', type: '', stack: '', project: '' }
  const parentUrn = { $case: 'parentUrn' as const, value: bad }
  const cases: readonly (readonly [string, object])[] = [
    ['alias', { aliases: [{ alias: { $case: 'urn', value: bad } }] }],
    ['alias', { aliasURNs: [bad] }],
    [
      'parent alias',
      { aliases: [{ alias: { $case: 'spec', value: { ...spec, parent: parentUrn } } }] },
    ],
    ['parent', { parent: bad }],
    ['DeletedWith', { deletedWith: bad }],
    ['dependency', { dependencies: [bad] }],
    ['dependency on property p', { propertyDependencies: new Map([['p', { urns: [bad] }]]) }],
  ]
  const failures: unknown[] = []
  const testRun = await engine.run(async monitor => {
    for (const [, options] of cases)
      await registerThing(monitor, 'a', {}, options).catch(thrown => failures.push(thrown))
  })
  expect(failures).toMatchObject(
    cases.map(([option]) => ({
      code: status.INVALID_ARGUMENT,
      details: `invalid ${option} URN: invalid URN "${bad}"`,
    })),
  )
  expect(testRun.result.result).toBe('succeeded')
  expect(statesOf(testRun, 'a')).toEqual([])
})

const names = [
  'foo',
  ':colons',
  '-dashes',
  'file/path.txt',
  'bar|table',
  'spaces in names',
  'email@address',
  '<output object>',
  '[brackets]',
  '{braces}',
  '(parens)',
  'C:\\windows\\paths',
  '& @ $ % ^ * #',
  "'quotes'",
  '"double quotes"',
  'double::colons',
]

test('TestResourceNames: a name may be any text', async () => {
  const engine = await engines.open(createCloud())
  const program: Program = async monitor => {
    for (const name of names) {
      const ownProvider = { type: 'pulumi:providers:test', name, custom: true }
      const { urn, id } = await monitor.register(ownProvider)
      const resource = await registerThing(monitor, name, {}, { provider: `${urn}::${id}` })
      await monitor.register({ type: 'test:m:Part', name, parent: resource.urn })
    }
  }
  const testRun = await engine.run(program)
  const urns = (testRun.state.resources ?? []).map(({ urn }) => urn)
  for (const name of names) {
    const providerUrn = `urn:pulumi:dev::life::pulumi:providers:test::${name}`
    const resourceUrn = `urn:pulumi:dev::life::test:index:Thing::${name}`
    const partUrn = `urn:pulumi:dev::life::test:index:Thing$test:m:Part::${name}`
    expect(urns).toEqual(expect.arrayContaining([providerUrn, resourceUrn, partUrn]))
    const state = testRun.state.resources?.find(({ urn }) => urn === resourceUrn)
    expect(state?.['provider']).toEqual(expect.stringContaining(`${providerUrn}::`))
  }
  const nextRun = await engine.run(program)
  expect(new Set(stepsOf(nextRun).map(step => step.split(' ')[0]))).toEqual(new Set(['same']))
  const destroyRun = await engine.run(undefined, { command: 'destroy' })
  expect(destroyRun.result.result).toBe('succeeded')
  expect(destroyRun.state.resources ?? []).toEqual([])
})

import { afterEach, expect, test } from 'vitest'
import {
  type ResourceHookRequest,
  TransformResourceOptions,
} from '../../../proto/gen/pulumi/resource.ts'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { closeProgramFunctions, openProgramFunctions, withHooks } from '../program-functions.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(async () => {
  closeProgramFunctions()
  await engines.close()
})

test('TestResourceHooksAfterCreate: an after hook of a create receives inputs and outputs', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const seen: unknown[] = []
  const testRun = await engine.run(async monitor => {
    const functions = await openProgramFunctions(monitor)
    const after = await functions.registerHook('after', request => void seen.push(request))
    await registerThing(monitor, 'a', { v: 1 }, withHooks({ afterCreate: [after] }))
  })
  expect(testRun.result.result).toBe('succeeded')
  expect(seen).toMatchObject([
    {
      id: 'a-1',
      name: 'a',
      type: 'test:index:Thing',
      newInputs: { v: 1 },
      newOutputs: { v: 1 },
      oldInputs: undefined,
      oldOutputs: undefined,
      oldOptions: undefined,
    },
  ])
  const state = testRun.state.resources?.find(({ urn }) => urn.endsWith('::a'))
  expect(state).toMatchObject({ id: 'a-1', resourceHooks: { AfterCreate: ['after'] } })
})

test('TestResourceHookBeforeCreateError: if a before hook fails, the create fails without a provider call', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const testRun = await engine.run(async monitor => {
    const functions = await openProgramFunctions(monitor)
    const before = await functions.registerHook('before', () => {
      throw new Error('no')
    })
    await registerThing(monitor, 'a', { v: 1 }, withHooks({ beforeCreate: [before] }))
  })
  expect(testRun.result.result).toBe('failed')
  expect(cloud.mutatingCalls).toEqual([])
  expect(testRun.state.resources?.some(({ urn }) => urn.endsWith('::a'))).toBe(false)
  expect(JSON.stringify(testRun.events)).toContain('before hook \\"before\\" failed: no')
})

const createWithDeleteHooks =
  (seen: string[], names: readonly string[]): Program =>
  async monitor => {
    const functions = await openProgramFunctions(monitor)
    const beforeDelete = [
      await functions.registerHook('gone', request => void seen.push(`before ${request.id}`)),
    ]
    const afterDelete = [
      await functions.registerHook('went', request => void seen.push(`after ${request.id}`)),
    ]
    for (const name of names)
      await registerThing(monitor, name, { v: 1 }, withHooks({ beforeDelete, afterDelete }))
  }

test('TestResourceHookAfterDelete: an after hook of a delete runs after the program has ended', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const seen: string[] = []
  await engine.run(createWithDeleteHooks(seen, ['a', 'b']))
  const testRun = await engine.run(createWithDeleteHooks(seen, ['a']))
  expect(testRun.result.result).toBe('succeeded')
  expect(seen).toEqual(['before b-1', 'after b-1'])
  expect(cloud.mutatingCalls).toEqual(['create a', 'create b', 'delete b-1'])
})

const registerGroup = (monitor: Parameters<Program>[0], v: number, more: object) =>
  monitor.register({ type: 'test:index:Group', name: 'g', object: { v }, ...more })

test('TestResourceHookDryRun: in a preview only hooks with onDryRun run', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const seen: string[] = []
  const program: Program = async monitor => {
    const functions = await openProgramFunctions(monitor)
    const dry = await functions.registerHook('dry', () => void seen.push('dry'), { onDryRun: true })
    const wet = await functions.registerHook('wet', () => void seen.push('wet'))
    await registerThing(
      monitor,
      'a',
      { v: 1 },
      withHooks({ beforeCreate: [dry, wet], afterCreate: [wet] }),
    )
  }
  const preview = await engine.run(program, { dryRun: true })
  expect(preview.result.result).toBe('succeeded')
  expect(seen).toEqual(['dry'])
  await engine.run(program)
  expect(seen).toEqual(['dry', 'dry', 'wet', 'wet'])
})

test('TestResourceHooks_OptionsAreSent, TestResourceHooks_OldAndNewOptionsAreSentOnUpdate: hooks receive the options of the old and new states', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const seen: ResourceHookRequest[] = []
  const program =
    (v: number): Program =>
    async monitor => {
      const functions = await openProgramFunctions(monitor)
      const hookNames = [await functions.registerHook('tell', request => void seen.push(request))]
      await registerThing(
        monitor,
        'a',
        { v },
        {
          ...withHooks({ beforeCreate: hookNames, beforeUpdate: hookNames }),
          ignoreChanges: [`i${v}`],
          additionalSecretOutputs: ['token'],
          customTimeouts: { create: '1h30m', update: '5m', delete: '1.5s', read: '' },
          protect: v === 2,
          retainOnDelete: true,
        },
      )
    }
  await engine.run(program(1))
  await engine.run(program(2))
  const expectedOptions = {
    additionalSecretOutputs: ['token'],
    customTimeouts: { create: '1h30m0s', update: '5m0s', delete: '1.5s', read: '' },
    retainOnDelete: true,
    hooks: { beforeCreate: ['tell'], beforeUpdate: ['tell'], afterCreate: [] },
    parent: 'urn:pulumi:dev::life::pulumi:pulumi:Stack::life-dev',
  }
  expect(seen).toHaveLength(2)
  expect(seen[0]).toMatchObject({
    id: '',
    oldOptions: undefined,
    newOptions: { ...expectedOptions, ignoreChanges: ['i1'], protect: false },
  })
  expect(seen[0]?.newOptions?.provider).toMatch(/::pulumi:providers:test::default::/)
  expect(seen[1]).toMatchObject({
    id: 'a-1',
    oldOptions: { ...expectedOptions, ignoreChanges: ['i1'], protect: false },
    newOptions: { ...expectedOptions, ignoreChanges: ['i2'], protect: true },
  })
})

test('TestResourceHookBeforeUpdate: the hook of the new state receives the old values', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const seen: ResourceHookRequest[] = []
  const program =
    (v: number): Program =>
    async monitor => {
      const functions = await openProgramFunctions(monitor)
      const hookNames = [await functions.registerHook('tell', request => void seen.push(request))]
      await registerThing(
        monitor,
        'a',
        { v },
        v === 1 ? {} : withHooks({ beforeUpdate: hookNames }),
      )
    }
  await engine.run(program(1))
  await engine.run(program(2))
  expect(seen).toMatchObject([
    {
      id: 'a-1',
      newInputs: { v: 2 },
      oldInputs: { v: 1 },
      newOutputs: undefined,
      oldOutputs: { v: 1 },
    },
  ])
  expect(cloud.mutatingCalls).toEqual(['create a', 'update a-1'])
})

test('TestResourceHookComponent, TestResourceHookComponentAfterDelete: after hooks of a component run when its outputs are registered, and at its delete', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const seen: string[] = []
  const program =
    (v: number): Program =>
    async monitor => {
      const functions = await openProgramFunctions(monitor)
      const hookNames = async (name: string): Promise<string[]> => [
        await functions.registerHook(name, ({ newOutputs, oldInputs, newInputs }) => {
          seen.push(`${name} ${JSON.stringify([oldInputs, newInputs, newOutputs])}`)
        }),
      ]
      const all = withHooks({
        beforeCreate: await hookNames('beforeCreate'),
        afterCreate: await hookNames('afterCreate'),
        beforeUpdate: await hookNames('beforeUpdate'),
        afterUpdate: await hookNames('afterUpdate'),
        beforeDelete: await hookNames('beforeDelete'),
        afterDelete: await hookNames('afterDelete'),
      })
      if (v === 0) return
      const { urn } = await registerGroup(monitor, v, all)
      seen.push('registered')
      await monitor.registerOutputs(urn, { o: v })
    }
  await engine.run(program(1))
  await engine.run(program(2))
  const testRun = await engine.run(program(0))
  expect(testRun.result.result).toBe('succeeded')
  expect(seen).toEqual([
    'beforeCreate [null,{"v":1},null]',
    'registered',
    'afterCreate [null,{"v":1},{"o":1}]',
    'beforeUpdate [{"v":1},{"v":2},null]',
    'registered',
    'afterUpdate [{"v":1},{"v":2},{"o":2}]',
    'beforeDelete [{"v":2},null,null]',
    'afterDelete [{"v":2},null,null]',
  ])
})

test('TestResourceHookTransform: transforms can change the hooks', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const seen: string[] = []
  const testRun = await engine.run(async monitor => {
    const functions = await openProgramFunctions(monitor)
    const first = await functions.registerHook('first', () => void seen.push('first'))
    const second = await functions.registerHook('second', () => void seen.push('second'))
    const replaceHooks = functions.addTransform(({ options }) => ({
      options: TransformResourceOptions.create({
        ...options,
        ...withHooks({ afterCreate: [second] }),
      }),
    }))
    await registerThing(
      monitor,
      'a',
      { v: 1 },
      { ...withHooks({ beforeCreate: [first] }), transforms: [replaceHooks] },
    )
  })
  expect(seen).toEqual(['second'])
  const state = testRun.state.resources?.find(({ urn }) => urn.endsWith('::a'))
  expect(state?.['resourceHooks']).toEqual({ AfterCreate: ['second'] })
})

test('TestResourceHookByteString: strings that are not UTF-8 arrive unchanged', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const seen: unknown[] = []
  // The wire form of bytes: the signature of bytes, and the value in Base64.
  const bytes = {
    '4dabf18193072939515e22adb298388d': '803fd3297a5875dc03ca845dda5d2a98',
    value: '//79',
  }
  await engine.run(async monitor => {
    const functions = await openProgramFunctions(monitor)
    const hookName = await functions.registerHook(
      'tell',
      ({ newInputs }) => void seen.push(newInputs),
    )
    // The test provider does not accept such strings. A component has no provider.
    const object = { v: bytes }
    await monitor.register({
      type: 'a:b:C',
      name: 'a',
      object,
      ...withHooks({ beforeCreate: [hookName] }),
    })
  })
  expect(seen).toEqual([{ v: bytes }])
})

test('TestResourceHookDeleteErrorWhenNoRunProgram, TestResourceHookDeleteCalledOnDestroyRunProgram: a destroy calls delete hooks only if it runs the program', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const seen: string[] = []
  await engine.run(createWithDeleteHooks(seen, ['a', 'b']))
  const refused = await engine.run(undefined, { command: 'destroy' }).catch(String)
  expect(JSON.stringify(refused)).toContain('--run-program')
  expect(seen).toEqual([])
  expect(cloud.objects.size).toBe(2)
  const testRun = await engine.run(createWithDeleteHooks(seen, ['a']), {
    command: 'destroy',
    runProgram: true,
  })
  expect(testRun.result.result).toBe('succeeded')
  expect(seen.toSorted()).toEqual(['after a-1', 'after b-1', 'before a-1', 'before b-1'])
  expect(testRun.state.resources ?? []).toEqual([])
  expect(cloud.objects.size).toBe(0)
})

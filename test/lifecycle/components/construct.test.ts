import { status } from '@grpc/grpc-js'
import { afterEach, describe, expect, test } from 'vitest'
import { type ConstructRequest, ConstructResponse } from '../../../proto/gen/pulumi/provider.ts'
import { InputPropertiesError } from '../../../proto/gen/pulumi/errors.ts'
import { createFailure } from '../../../shared/providers/pulumi/scripted-server.ts'
import { createCloud } from '../cloud.ts'
import {
  component,
  componentScript,
  errorsOf,
  itself,
  type MakeComponent,
  urnOf,
  wire,
} from '../components.ts'
import type { Monitor, Program } from '../engine.ts'
import { createEngines, thing } from '../things.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** An engine whose package `comp` makes components, and what that was asked. */
async function making(make: MakeComponent, cloud = createCloud()) {
  const asked: ConstructRequest[] = []
  const script = componentScript({
    make: (request, monitor) => {
      asked.push(request)
      return make(request, monitor)
    },
  })
  return { engine: await engines.of(cloud, { comp: script }), asked, cloud }
}

/** A component with one child, which it tells of. */
const withChild: MakeComponent = async (request, monitor) => {
  const urn = await itself(request, monitor)
  const child = await thing(monitor, `${request.name}-child`, { v: 1 }, { parent: urn })
  await monitor.outputs(urn, { child: child.id })
  return { urn, state: { child: child.id } }
}

const childOf = (name: string): string =>
  `urn:pulumi:dev::life::comp:index:Group$test:index:Thing::${name}-child`

test('TestSingleComponentDefaultProviderLifecycle: a provider makes a component', async () => {
  const { engine, cloud } = await making(withChild)
  let state: object | undefined
  const program: Program = async monitor => {
    const made = await component(monitor, 'a')
    state = made.object
    expect(made.urn).toBe(urnOf('a', 'comp:index:Group'))
  }
  const first = await engine.run(program)
  expect(first.result.result).toBe('succeeded')
  expect(state).toEqual({ child: 'a-child-1' })
  const names = first.state.resources?.map(({ urn }) => urn.split('::').slice(2).join(' '))
  expect(names).toEqual([
    'pulumi:pulumi:Stack life-dev',
    'pulumi:providers:comp default',
    'comp:index:Group a',
    'pulumi:providers:test default',
    'comp:index:Group$test:index:Thing a-child',
  ])
  const made = first.state.resources?.find(({ urn }) => urn === urnOf('a', 'comp:index:Group'))
  expect(made).toMatchObject({ custom: false, outputs: { child: 'a-child-1' } })
  expect(made?.['provider']).toBeUndefined()
  const second = await engine.run(program)
  expect(second.result).toMatchObject({ result: 'succeeded' })
  expect(cloud.log).toEqual(['create a-child'])
})

test('TestRemoteComponentConstructInfoIncludesOrganization: a component is told of the whole deployment', async () => {
  const { engine, asked } = await making(withChild)
  const config = new Map([
    ['life:plain', { text: 'p', secret: false, object: false }],
    ['life:hidden', { text: 'h', secret: true, object: false }],
  ])
  await engine.run(monitor => component(monitor, 'a').then(() => undefined), {
    parallel: 3,
    config,
  })
  expect(asked).toHaveLength(1)
  expect(asked[0]).toMatchObject({
    organization: 'organization',
    project: 'life',
    stack: 'dev',
    config: new Map([
      ['life:plain', 'p'],
      ['life:hidden', 'h'],
    ]),
    configSecretKeys: ['life:hidden'],
    dryRun: false,
    parallel: 3,
    acceptsOutputValues: true,
    parent: 'urn:pulumi:dev::life::pulumi:pulumi:Stack::life-dev',
  })
  expect(asked[0]?.monitorEndpoint).toMatch(/^127\.0\.0\.1:\d+$/)
})

test('TestComponentDeleteDependencies: what depends on a component goes before its children do', async () => {
  const { engine, cloud } = await making(async (request, monitor) => {
    const urn = await itself(request, monitor, { dependencies: request.dependencies })
    if (request.name === 'first') {
      const nested = await monitor.register({ type: 'nested', name: 'nested', parent: urn })
      await thing(monitor, 'sg', {}, { parent: nested.urn })
      await monitor.outputs(nested.urn, {})
    } else {
      const dependencies = request.inputDependencies.get('sgID')?.urns ?? []
      await thing(monitor, 'rule', {}, { parent: urn, dependencies })
    }
    await monitor.outputs(urn, {})
    return { urn }
  })
  await engine.run(async monitor => {
    const first = await component(monitor, 'first')
    const sg = 'urn:pulumi:dev::life::comp:index:Group$nested$test:index:Thing::sg'
    await component(monitor, 'second', {
      dependencies: [first.urn],
      propertyDependencies: new Map([['sgID', { urns: [sg] }]]),
    })
  })
  const { result, events } = await engine.run(undefined, { command: 'destroy' })
  expect(result.result).toBe('succeeded')
  const gone = events.flatMap(event =>
    'resOutputsEvent' in event && event.resOutputsEvent !== undefined
      ? [event.resOutputsEvent.metadata.urn.split('::').at(-1)]
      : [],
  )
  const at = (name: string): number => gone.indexOf(name)
  expect(cloud.log.slice(2)).toEqual(['delete rule-1', 'delete sg-1'])
  for (const [earlier, later] of [
    ['rule', 'second'],
    ['second', 'first'],
    ['second', 'sg'],
    ['sg', 'nested'],
    ['nested', 'first'],
  ] as const)
    expect(at(earlier), `${earlier} before ${later}`).toBeLessThan(at(later))
})

describe('a component of a provider', () => {
  test('is asked for with its options whole', async () => {
    const { engine, asked } = await making(withChild)
    await engine.run(async monitor => {
      const a = await thing(monitor, 'a', {})
      await component(monitor, 'c', {
        object: { x: 1 },
        protect: false,
        retainOnDelete: true,
        deleteBeforeReplaceDefined: true,
        dependencies: [a.urn],
        propertyDependencies: new Map([['x', { urns: [a.urn] }]]),
        aliasURNs: [urnOf('old', 'comp:index:Group')],
        aliases: [
          { alias: { $case: 'spec', value: spec({ name: 'b' }) } },
          { alias: { $case: 'spec', value: spec({ parent: { $case: 'noParent', value: true } }) } },
        ],
        deletedWith: a.urn,
        replaceWith: [a.urn],
        replacementTrigger: 'now',
        ignoreChanges: ['i'],
        replaceOnChanges: ['r'],
        additionalSecretOutputs: ['s'],
        customTimeouts: { create: '1h30m', update: '', delete: '5s', read: '' },
        hooks: { ...noHooks, beforeCreate: ['one'], onError: ['two'] },
      })
    })
    const [request] = asked
    expect(request).toMatchObject({
      type: 'comp:index:Group',
      name: 'c',
      inputs: { x: 1 },
      protect: false,
      retainOnDelete: true,
      deleteBeforeReplace: false,
      dependencies: [urnOf('a')],
      aliases: [
        { alias: { $case: 'urn', value: urnOf('old', 'comp:index:Group') } },
        { alias: { $case: 'spec', value: spec({ name: 'b' }) } },
        { alias: { $case: 'spec', value: spec({ parent: { $case: 'noParent', value: true } }) } },
      ],
      deletedWith: urnOf('a'),
      replaceWith: [urnOf('a')],
      replacementTrigger: 'now',
      ignoreChanges: ['i'],
      replaceOnChanges: ['r'],
      additionalSecretOutputs: ['s'],
      customTimeouts: { create: '1h30m', update: '', delete: '5s', read: '' },
      resourceHooks: { ...noHooks, beforeCreate: ['one'] },
    })
    expect(request?.inputDependencies).toEqual(new Map([['x', { urns: [urnOf('a')] }]]))
  })

  test('of which the program says nothing is asked for without options', async () => {
    const { engine, asked } = await making(withChild)
    await engine.run(monitor => component(monitor, 'c').then(() => undefined))
    expect(asked[0]?.protect).toBeUndefined()
    expect(asked[0]?.retainOnDelete).toBeUndefined()
    expect(asked[0]?.deleteBeforeReplace).toBeUndefined()
    expect(asked[0]?.customTimeouts).toBeUndefined()
    expect(asked[0]?.resourceHooks).toBeUndefined()
    expect(asked[0]?.replacementTrigger).toBeUndefined()
  })

  test('may have others inside, made by providers too', async () => {
    const { engine } = await making(async (request, monitor) => {
      const urn = await itself(request, monitor)
      if (request.name === 'inner') return { urn, state: { deep: 'value' } }
      const inner = await component(monitor, 'inner', { parent: urn })
      return { urn, state: { from: inner.object?.['deep'] } }
    })
    let state: unknown
    await engine.run(async monitor => {
      state = (await component(monitor, 'outer')).object
    })
    expect(state).toEqual({ from: 'value' })
  })

  test('registers with the trace of its caller in front of its own', async () => {
    const frame = (file: string): object => ({
      pc: { uri: `file://${file}`, line: 1, column: 1 },
    })
    let root = ''
    const { engine } = await making(async (request, monitor) => {
      expect(request.stackTraceHandle).not.toBe('')
      const trace = {
        stackTrace: { frames: [frame(`${root}/inside.js`)] },
        parentStackTraceHandle: request.stackTraceHandle,
      }
      return { urn: await itself(request, monitor, trace) }
    })
    root = engine.home
    const { state } = await engine.run(async monitor => {
      await component(monitor, 'a', { stackTrace: { frames: [frame(`${root}/main.js`)] } })
    })
    const made = state.resources?.find(({ urn }) => urn.endsWith('::a'))
    expect(made?.['stackTrace']).toEqual([
      { sourcePosition: 'project:///main.js#1,1' },
      { sourcePosition: 'project:///inside.js#1,1' },
    ])
  })
})

describe('a component that cannot be made', () => {
  const failed = async (make: MakeComponent, object: object = {}) => {
    const { engine } = await making(make)
    const told: { code?: number; after?: string } = {}
    const ran = await engine.run(async monitor => {
      await component(monitor, 'a', { object }).catch(({ code }) => {
        told.code = code
      })
      told.after = await thing(monitor, 'b', {}).then(({ urn }) => urn, String)
    })
    return { ...ran, told, errors: errorsOf(ran.events), text: JSON.stringify(ran.events) }
  }

  test('ends the deployment, says why, and its caller stops silently', async () => {
    const { result, told, text, state } = await failed(() =>
      Promise.reject(createFailure(status.UNKNOWN, 'it is broken')),
    )
    expect(result.result).toBe('failed')
    expect(text).toContain("comp:index:Group resource 'a' has a problem: it is broken")
    expect(told.code).toBe(status.UNAVAILABLE)
    expect(told.after).toContain('UNAVAILABLE')
    expect(state.resources?.map(({ urn }) => urn)).not.toContain(urnOf('b'))
  })

  test('says what is wrong with single properties, secrets blinded', async () => {
    const errors = [
      { propertyPath: 'list[0]', reason: 'is too small' },
      { propertyPath: 'hidden', reason: 'must not be hush-hush' },
      { propertyPath: 'nowhere', reason: 'is missing' },
    ]
    const value = InputPropertiesError.encode(InputPropertiesError.create({ errors })).finish()
    const { text, errors: told } = await failed(
      () =>
        Promise.reject(
          createFailure(status.INVALID_ARGUMENT, 'bad inputs', {
            type: 'type.googleapis.com/pulumirpc.InputPropertiesError',
            value,
          }),
        ),
      { list: [7], hidden: wire.secret('hush-hush') },
    )
    expect(told[0]).toBe(
      "comp:index:Group resource 'a' has a problem: bad inputs" +
        "\n\t\t- property list[0] with value '7' has a problem: is too small" +
        "\n\t\t- property hidden with value '[secret]' has a problem: must not be [secret]" +
        '\n\t\t- property nowhere has a problem: is missing',
    )
    expect(text).not.toContain('hush-hush')
  })

  test('that is answered without a URN is one error', async () => {
    const { result, text } = await failed(() => Promise.resolve(ConstructResponse.create({})))
    expect(result.result).toBe('failed')
    expect(text).toContain("answered Construct with '', which is no URN")
  })

  test('does not keep a deployment that ends for another reason', async () => {
    const cloud = createCloud()
    cloud.faults.add('create b')
    const begun = Promise.withResolvers<void>()
    const { engine } = await making(async (request, monitor) => {
      await itself(request, monitor)
      begun.resolve()
      return new Promise(() => undefined)
    }, cloud)
    const { result } = await engine.run(async (monitor: Monitor) => {
      const made = component(monitor, 'a')
      await begun.promise
      await Promise.all([made, thing(monitor, 'b', {})])
    })
    expect(result.result).toBe('failed')
  })
})

describe('a preview', () => {
  test('has a component made, and says that it is one', async () => {
    const { engine, asked, cloud } = await making(withChild)
    let state: unknown
    await engine.run(
      async monitor => {
        state = (await component(monitor, 'a')).object
      },
      { dryRun: true },
    )
    expect(asked.map(({ dryRun }) => dryRun)).toEqual([true])
    expect(state).toEqual({ child: '' })
    expect(cloud.log).toEqual([])
  })

  test('registers the bare component itself when its provider cannot be configured yet', async () => {
    const { engine, asked } = await making(withChild)
    const made: unknown[] = []
    const program: Program = async monitor => {
      const a = await thing(monitor, 'a', { v: 1 })
      const prov = await monitor.register({
        type: 'pulumi:providers:comp',
        name: 'p',
        custom: true,
        object: { key: a.id === '' ? wire.unknown : a.id },
      })
      const provider = `${prov.urn}::${prov.id}`
      const { urn, object } = await component(monitor, 'c', { provider })
      made.push([urn, object])
    }
    const preview = await engine.run(program, { dryRun: true })
    expect(preview.result.result).toBe('succeeded')
    expect(asked).toEqual([])
    expect(made).toEqual([[urnOf('c', 'comp:index:Group'), {}]])
    await engine.run(program)
    expect(asked).toHaveLength(1)
    expect(made[1]).toEqual([urnOf('c', 'comp:index:Group'), { child: 'c-child-1' }])
    expect(childOf('c')).toContain('c-child')
  })
})

const noHooks = {
  beforeCreate: [],
  afterCreate: [],
  beforeUpdate: [],
  afterUpdate: [],
  beforeDelete: [],
  afterDelete: [],
  onError: [],
}

const spec = (fields: object): object => ({
  name: '',
  type: '',
  stack: '',
  project: '',
  parent: undefined,
  ...fields,
})

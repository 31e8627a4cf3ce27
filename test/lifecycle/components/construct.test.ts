import { status } from '@grpc/grpc-js'
import { afterEach, describe, expect, test } from 'vitest'
import { type ConstructRequest, ConstructResponse } from '../../../proto/gen/pulumi/provider.ts'
import { InputPropertiesError } from '../../../proto/gen/pulumi/errors.ts'
import { createFailure } from '../../../shared/providers/pulumi/scripted-server.fixture.ts'
import { createCloud } from '../cloud.ts'
import {
  registerComponent,
  createComponentScript,
  trimmedErrorsOf,
  registerSelf,
  type ConstructComponent,
  resourceUrnOf,
  wireValues,
} from '../components.ts'
import type { Monitor, Program } from '../engine.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/**
 * Opens an engine whose package `comp` constructs components, with the requests that it received.
 */
async function openConstructing(construct: ConstructComponent, cloud = createCloud()) {
  const requests: ConstructRequest[] = []
  const script = createComponentScript({
    construct: (request, monitor) => {
      requests.push(request)
      return construct(request, monitor)
    },
  })
  return { engine: await engines.open(cloud, { comp: script }), requests, cloud }
}

/** Constructs a component with one child, and returns the id of the child as an output. */
const constructWithChild: ConstructComponent = async (request, monitor) => {
  const urn = await registerSelf(request, monitor)
  const child = await registerThing(monitor, `${request.name}-child`, { v: 1 }, { parent: urn })
  await monitor.registerOutputs(urn, { child: child.id })
  return { urn, state: { child: child.id } }
}

const childUrnOf = (name: string): string =>
  `urn:pulumi:dev::life::comp:index:Group$test:index:Thing::${name}-child`

test('TestSingleComponentDefaultProviderLifecycle: a provider constructs a component', async () => {
  const { engine, cloud } = await openConstructing(constructWithChild)
  let state: object | undefined
  const program: Program = async monitor => {
    const component = await registerComponent(monitor, 'a')
    state = component.object
    expect(component.urn).toBe(resourceUrnOf('a', 'comp:index:Group'))
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
  const componentState = first.state.resources?.find(
    ({ urn }) => urn === resourceUrnOf('a', 'comp:index:Group'),
  )
  expect(componentState).toMatchObject({ custom: false, outputs: { child: 'a-child-1' } })
  expect(componentState?.['provider']).toBeUndefined()
  const second = await engine.run(program)
  expect(second.result).toMatchObject({ result: 'succeeded' })
  expect(cloud.mutatingCalls).toEqual(['create a-child'])
})

test('TestRemoteComponentConstructInfoIncludesOrganization: a Construct request contains the whole deployment context', async () => {
  const { engine, requests } = await openConstructing(constructWithChild)
  const config = new Map([
    ['life:plain', { text: 'p', isSecret: false, isObject: false }],
    ['life:hidden', { text: 'h', isSecret: true, isObject: false }],
  ])
  await engine.run(monitor => registerComponent(monitor, 'a').then(() => undefined), {
    parallel: 3,
    config,
  })
  expect(requests).toHaveLength(1)
  expect(requests[0]).toMatchObject({
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
  expect(requests[0]?.monitorEndpoint).toMatch(/^127\.0\.0\.1:\d+$/)
})

test('TestComponentDeleteDependencies: dependents of a component are deleted before its children', async () => {
  const { engine, cloud } = await openConstructing(async (request, monitor) => {
    const urn = await registerSelf(request, monitor, { dependencies: request.dependencies })
    if (request.name === 'first') {
      const nested = await monitor.register({ type: 'nested', name: 'nested', parent: urn })
      await registerThing(monitor, 'sg', {}, { parent: nested.urn })
      await monitor.registerOutputs(nested.urn, {})
    } else {
      const dependencies = request.inputDependencies.get('sgID')?.urns ?? []
      await registerThing(monitor, 'rule', {}, { parent: urn, dependencies })
    }
    await monitor.registerOutputs(urn, {})
    return { urn }
  })
  await engine.run(async monitor => {
    const first = await registerComponent(monitor, 'first')
    const sg = 'urn:pulumi:dev::life::comp:index:Group$nested$test:index:Thing::sg'
    await registerComponent(monitor, 'second', {
      dependencies: [first.urn],
      propertyDependencies: new Map([['sgID', { urns: [sg] }]]),
    })
  })
  const { result, events } = await engine.run(undefined, { command: 'destroy' })
  expect(result.result).toBe('succeeded')
  const deletedNames = events.flatMap(event =>
    'resOutputsEvent' in event && event.resOutputsEvent !== undefined
      ? [event.resOutputsEvent.metadata.urn.split('::').at(-1)]
      : [],
  )
  const positionOf = (name: string): number => deletedNames.indexOf(name)
  expect(cloud.mutatingCalls.slice(2)).toEqual(['delete rule-1', 'delete sg-1'])
  for (const [earlier, later] of [
    ['rule', 'second'],
    ['second', 'first'],
    ['second', 'sg'],
    ['sg', 'nested'],
    ['nested', 'first'],
  ] as const)
    expect(positionOf(earlier), `${earlier} before ${later}`).toBeLessThan(positionOf(later))
})

describe('a component that a provider constructs', () => {
  test('is requested with all of its options', async () => {
    const { engine, requests } = await openConstructing(constructWithChild)
    await engine.run(async monitor => {
      const a = await registerThing(monitor, 'a', {})
      await registerComponent(monitor, 'c', {
        object: { x: 1 },
        protect: false,
        retainOnDelete: true,
        deleteBeforeReplaceDefined: true,
        dependencies: [a.urn],
        propertyDependencies: new Map([['x', { urns: [a.urn] }]]),
        aliasURNs: [resourceUrnOf('old', 'comp:index:Group')],
        aliases: [
          { alias: { $case: 'spec', value: createAliasSpec({ name: 'b' }) } },
          {
            alias: {
              $case: 'spec',
              value: createAliasSpec({ parent: { $case: 'noParent', value: true } }),
            },
          },
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
    const [request] = requests
    expect(request).toMatchObject({
      type: 'comp:index:Group',
      name: 'c',
      inputs: { x: 1 },
      protect: false,
      retainOnDelete: true,
      deleteBeforeReplace: false,
      dependencies: [resourceUrnOf('a')],
      aliases: [
        { alias: { $case: 'urn', value: resourceUrnOf('old', 'comp:index:Group') } },
        { alias: { $case: 'spec', value: createAliasSpec({ name: 'b' }) } },
        {
          alias: {
            $case: 'spec',
            value: createAliasSpec({ parent: { $case: 'noParent', value: true } }),
          },
        },
      ],
      deletedWith: resourceUrnOf('a'),
      replaceWith: [resourceUrnOf('a')],
      replacementTrigger: 'now',
      ignoreChanges: ['i'],
      replaceOnChanges: ['r'],
      additionalSecretOutputs: ['s'],
      customTimeouts: { create: '1h30m', update: '', delete: '5s', read: '' },
      resourceHooks: { ...noHooks, beforeCreate: ['one'] },
    })
    expect(request?.inputDependencies).toEqual(new Map([['x', { urns: [resourceUrnOf('a')] }]]))
  })

  test('without options in the program is requested without options', async () => {
    const { engine, requests } = await openConstructing(constructWithChild)
    await engine.run(monitor => registerComponent(monitor, 'c').then(() => undefined))
    expect(requests[0]?.protect).toBeUndefined()
    expect(requests[0]?.retainOnDelete).toBeUndefined()
    expect(requests[0]?.deleteBeforeReplace).toBeUndefined()
    expect(requests[0]?.customTimeouts).toBeUndefined()
    expect(requests[0]?.resourceHooks).toBeUndefined()
    expect(requests[0]?.replacementTrigger).toBeUndefined()
  })

  test('may contain other components that providers construct', async () => {
    const { engine } = await openConstructing(async (request, monitor) => {
      const urn = await registerSelf(request, monitor)
      if (request.name === 'inner') return { urn, state: { deep: 'value' } }
      const inner = await registerComponent(monitor, 'inner', { parent: urn })
      return { urn, state: { from: inner.object?.['deep'] } }
    })
    let state: unknown
    await engine.run(async monitor => {
      state = (await registerComponent(monitor, 'outer')).object
    })
    expect(state).toEqual({ from: 'value' })
  })

  test('has a stack trace that begins with the frames of its caller', async () => {
    const createFrame = (file: string): object => ({
      pc: { uri: `file://${file}`, line: 1, column: 1 },
    })
    let root = ''
    const { engine } = await openConstructing(async (request, monitor) => {
      expect(request.stackTraceHandle).not.toBe('')
      const trace = {
        stackTrace: { frames: [createFrame(`${root}/inside.js`)] },
        parentStackTraceHandle: request.stackTraceHandle,
      }
      return { urn: await registerSelf(request, monitor, trace) }
    })
    root = engine.home
    const { state } = await engine.run(async monitor => {
      await registerComponent(monitor, 'a', {
        stackTrace: { frames: [createFrame(`${root}/main.js`)] },
      })
    })
    const componentState = state.resources?.find(({ urn }) => urn.endsWith('::a'))
    expect(componentState?.['stackTrace']).toEqual([
      { sourcePosition: 'project:///main.js#1,1' },
      { sourcePosition: 'project:///inside.js#1,1' },
    ])
  })
})

describe('a component that cannot be constructed', () => {
  const runFailing = async (construct: ConstructComponent, object: object = {}) => {
    const { engine } = await openConstructing(construct)
    const reported: { code?: number; after?: string } = {}
    const testRun = await engine.run(async monitor => {
      await registerComponent(monitor, 'a', { object }).catch(({ code }) => {
        reported.code = code
      })
      reported.after = await registerThing(monitor, 'b', {}).then(({ urn }) => urn, String)
    })
    return {
      ...testRun,
      reported,
      errors: trimmedErrorsOf(testRun.events),
      text: JSON.stringify(testRun.events),
    }
  }

  test('ends the deployment with the reason, and its caller stops silently', async () => {
    const { result, reported, text, state } = await runFailing(() =>
      Promise.reject(createFailure(status.UNKNOWN, 'it is broken')),
    )
    expect(result.result).toBe('failed')
    expect(text).toContain("comp:index:Group resource 'a' has a problem: it is broken")
    expect(reported.code).toBe(status.UNAVAILABLE)
    expect(reported.after).toContain('UNAVAILABLE')
    expect(state.resources?.map(({ urn }) => urn)).not.toContain(resourceUrnOf('b'))
  })

  test('reports each invalid property, with secrets redacted', async () => {
    const errors = [
      { propertyPath: 'list[0]', reason: 'is too small' },
      { propertyPath: 'hidden', reason: 'must not be hush-hush' },
      { propertyPath: 'nowhere', reason: 'is missing' },
    ]
    const value = InputPropertiesError.encode(InputPropertiesError.create({ errors })).finish()
    const { text, errors: reported } = await runFailing(
      () =>
        Promise.reject(
          createFailure(status.INVALID_ARGUMENT, 'bad inputs', {
            type: 'type.googleapis.com/pulumirpc.InputPropertiesError',
            value,
          }),
        ),
      { list: [7], hidden: wireValues.secret('hush-hush') },
    )
    expect(reported[0]).toBe(
      "comp:index:Group resource 'a' has a problem: bad inputs" +
        "\n\t\t- property list[0] with value '7' has a problem: is too small" +
        "\n\t\t- property hidden with value '[secret]' has a problem: must not be [secret]" +
        '\n\t\t- property nowhere has a problem: is missing',
    )
    expect(text).not.toContain('hush-hush')
  })

  test('without a URN in the response ends the deployment with an error', async () => {
    const { result, errors } = await runFailing(() => Promise.resolve(ConstructResponse.create({})))
    expect(result.result).toBe('failed')
    expect(errors).toEqual([
      expect.stringContaining("answered Construct with '', which is not a URN"),
    ])
  })

  test('does not block a deployment that ends for another reason, although Construct never returns', async () => {
    const cloud = createCloud()
    cloud.faults.add('create b')
    const begun = Promise.withResolvers<void>()
    const { engine } = await openConstructing(async (request, monitor) => {
      await registerSelf(request, monitor)
      begun.resolve()
      return new Promise(() => undefined)
    }, cloud)
    const { result } = await engine.run(async (monitor: Monitor) => {
      const registration = registerComponent(monitor, 'a')
      await begun.promise
      await Promise.all([registration, registerThing(monitor, 'b', {})])
    })
    expect(result.result).toBe('failed')
  })
})

describe('a preview', () => {
  test('requests a component from its provider, with the request marked as a preview', async () => {
    const { engine, requests, cloud } = await openConstructing(constructWithChild)
    let state: unknown
    await engine.run(
      async monitor => {
        state = (await registerComponent(monitor, 'a')).object
      },
      { dryRun: true },
    )
    expect(requests.map(({ dryRun }) => dryRun)).toEqual([true])
    expect(state).toEqual({ child: '' })
    expect(cloud.mutatingCalls).toEqual([])
  })

  test('registers a component without its children while its provider cannot be configured', async () => {
    const { engine, requests } = await openConstructing(constructWithChild)
    const components: unknown[] = []
    const program: Program = async monitor => {
      const a = await registerThing(monitor, 'a', { v: 1 })
      const prov = await monitor.register({
        type: 'pulumi:providers:comp',
        name: 'p',
        custom: true,
        object: { key: a.id === '' ? wireValues.unknown : a.id },
      })
      const provider = `${prov.urn}::${prov.id}`
      const { urn, object } = await registerComponent(monitor, 'c', { provider })
      components.push([urn, object])
    }
    const preview = await engine.run(program, { dryRun: true })
    expect(preview.result.result).toBe('succeeded')
    expect(requests).toEqual([])
    expect(components).toEqual([[resourceUrnOf('c', 'comp:index:Group'), {}]])
    expect(JSON.stringify(preview.events)).not.toContain(childUrnOf('c'))
    const update = await engine.run(program)
    expect(requests).toHaveLength(1)
    expect(components[1]).toEqual([resourceUrnOf('c', 'comp:index:Group'), { child: 'c-child-1' }])
    expect(JSON.stringify(update.events)).toContain(childUrnOf('c'))
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

const createAliasSpec = (fields: object): object => ({
  name: '',
  type: '',
  stack: '',
  project: '',
  parent: undefined,
  ...fields,
})

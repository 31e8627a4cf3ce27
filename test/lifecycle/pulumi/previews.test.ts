import { afterEach, expect, test } from 'vitest'
import {
  type CallRequest,
  CallResponse,
  type CreateRequest,
  CreateResponse,
  type InvokeRequest,
  InvokeResponse,
  type UpdateRequest,
  UpdateResponse,
} from '../../../proto/gen/pulumi/provider.ts'
import { createCloud } from '../cloud.ts'
import { registerComponent, createComponentScript, registerSelf } from '../components.ts'
import type { Monitor, Program } from '../engine.ts'
import { statesOf, stepsOf } from '../run-events.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9'

/** Returns inputs with the value `late`, which a preview may not know yet. */
const createInputs = (late: unknown) => ({
  foo: 'bar',
  baz: { a: 42, b: late },
  qux: [late, 24],
  zed: late,
})

test('TestProviderPreview, TestProviderPreviewGrpc: a preview calls Create and Update with unknown values, and the response reaches the program', async () => {
  const cloud = createCloud()
  const providerCalls: unknown[] = []
  const script = {
    ...cloud.script,
    create: (providerRequest: CreateRequest) => {
      providerCalls.push([
        'create',
        providerRequest.preview,
        JSON.stringify(providerRequest.properties).includes(unknown),
      ])
      return CreateResponse.create({ id: 'x', properties: providerRequest.properties })
    },
    update: (providerRequest: UpdateRequest) => {
      providerCalls.push([
        'update',
        providerRequest.preview,
        JSON.stringify(providerRequest.news).includes(unknown),
      ])
      return UpdateResponse.create({ properties: providerRequest.news })
    },
  }
  const engine = await engines.open({ ...cloud, script })
  const received: unknown[] = []
  const program =
    (late: unknown): Program =>
    async monitor =>
      void received.push(
        (await registerThing(monitor, 'a', createInputs(late), { supportsPartialValues: true }))
          .object,
      )
  const turns = [
    [true, unknown, [['create', true, true]]],
    [false, 'alpha', [['create', false, false]]],
    [true, unknown, [['update', true, true]]],
    [true, 'beta', [['update', true, false]]],
  ] as const
  for (const [dryRun, late, calls] of turns) {
    const testRun = await engine.run(program(late), { dryRun })
    expect(testRun.result.result).toBe('succeeded')
    expect(providerCalls.splice(0)).toEqual(calls)
    expect(received.splice(0)).toEqual([createInputs(late)])
  }
})

const createMessage = ({ name }: { name?: unknown } = {}) => ({
  message: typeof name === 'string' ? `Hello, ${name}!` : 'unexpected',
})

/** Sends every kind of request that reaches a provider, and returns the responses. */
async function requestEverything(monitor: Monitor, late: unknown): Promise<readonly unknown[]> {
  const ownProvider = { type: 'pulumi:providers:comp', name: 'own', custom: true }
  const { urn, id } = await monitor.register({ ...ownProvider, object: { foo: late } })
  const provider = `${urn}::${id}`
  const a = await monitor.register({
    type: 'comp:index:Thing',
    name: 'a',
    custom: true,
    object: { foo: 'bar' },
    provider,
  })
  const name = a.object?.['foo']
  const object = name === undefined ? {} : { name }
  const b = await registerComponent(monitor, 'b', { provider, object })
  const args = b.object?.['foo'] === undefined ? {} : { name: b.object['foo'] }
  const called = await monitor.call({ tok: 'comp:index:Thing/hello', args, provider })
  const invoked = await monitor.invokeWith({ tok: 'comp:index:hello', args, provider })
  return [a.object, b.object, called.return, invoked.return].map(value => value ?? {})
}

test('TestProviderPreviewUnknowns: a provider with unknown settings receives no calls', async () => {
  const cloud = createCloud()
  const providerCalls: string[] = []
  const noteCall = (call: string) => void providerCalls.push(call)
  const resourceScript = {
    ...cloud.script,
    create: ({ urn, properties, preview }: CreateRequest) => {
      noteCall(`create ${urn.split('::').at(-1)} ${preview}`)
      return CreateResponse.create({ id: preview ? '' : 'x', properties })
    },
    update: ({ news, preview }: UpdateRequest) => {
      noteCall(`update ${preview}`)
      return UpdateResponse.create({ properties: news })
    },
    invoke: ({ args }: InvokeRequest) => {
      noteCall('invoke')
      return InvokeResponse.create({ return: createMessage(args) })
    },
  }
  const script = createComponentScript(
    {
      construct: async (request, monitor) => {
        noteCall('construct')
        const urn = await registerSelf(request, monitor)
        await registerThing(monitor, 'inside', {}, { parent: urn })
        const state = { foo: request.inputs?.['name'] }
        await monitor.registerOutputs(urn, state)
        return { urn, state }
      },
      method: async ({ args }: CallRequest) => {
        noteCall('call')
        return CallResponse.create({ return: createMessage(args) })
      },
    },
    resourceScript,
  )
  const engine = await engines.open(cloud, { comp: script })
  const received: unknown[] = []
  const program =
    (late: unknown): Program =>
    async monitor =>
      void received.push(...(await requestEverything(monitor, late)))
  const hello = { message: 'Hello, bar!' }
  const turns = [
    [true, unknown, [{}, {}, {}, {}], []],
    [
      false,
      'alpha',
      [{ foo: 'bar' }, { foo: 'bar' }, hello, hello],
      ['create a false', 'construct', 'call', 'invoke'],
    ],
    [true, unknown, [{}, {}, {}, {}], []],
  ] as const
  for (const [number, [dryRun, late, answers, calls]] of turns.entries()) {
    const testRun = await engine.run(program(late), { dryRun })
    expect([number, testRun.result.result]).toEqual([number, 'succeeded'])
    expect([number, received.splice(0)]).toEqual([number, answers])
    expect([number, providerCalls.splice(0)]).toEqual([number, calls])
  }
})

test('TestSingleResourceDiffUnavailable: a preview shows a possible update, with a warning, for a resource whose provider has unknown settings', async () => {
  const engine = await engines.open(createCloud())
  const program =
    (object: Record<string, unknown>): Program =>
    async monitor => {
      const ownProvider = { type: 'pulumi:providers:test', name: 'own', custom: true }
      const { urn, id } = await monitor.register({ ...ownProvider, object })
      await registerThing(monitor, 'a', {}, { provider: `${urn}::${id}` })
    }
  await engine.run(program({}))
  const shown = await engine.run(program({ input: unknown }), { dryRun: true })
  expect(shown.result.result).toBe('succeeded')
  expect(stepsOf(shown)).toEqual(['update a'])
  const warnings = shown.events.flatMap(event =>
    'diagnosticEvent' in event && event.diagnosticEvent.severity === 'warning'
      ? [event.diagnosticEvent]
      : [],
  )
  expect(warnings).toMatchObject([
    {
      urn: statesOf(shown, 'a')[0]?.urn,
      message: expect.stringContaining(
        'The provider for this resource has inputs that are not known during preview.',
      ),
    },
  ])
})

test('TestConstructHangsAfterRegisterResourceFailure: a component that never returns does not block the end of the run', async () => {
  const cloud = createCloud()
  cloud.faults.add('create a-child')
  const script = createComponentScript({
    construct: async (request, monitor) => {
      await registerThing(monitor, `${request.name}-child`, {}).catch(() => undefined)
      return new Promise<never>(() => undefined)
    },
  })
  const engine = await engines.open(cloud, { comp: script })
  const refusals: unknown[] = []
  const testRun = await engine.run(async monitor => {
    await registerComponent(monitor, 'a').catch(thrown => refusals.push(thrown))
  })
  expect(testRun.result.result).toBe('failed')
  expect(JSON.stringify(testRun.events)).toContain('create a-child was refused')
  expect(refusals).toMatchObject([{ details: 'resource monitor shut down' }])
})

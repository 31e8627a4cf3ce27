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
import { component, componentScript, itself } from '../components.ts'
import type { Monitor, Program } from '../engine.ts'
import { statesOf, stepsOf } from '../told.ts'
import { createEngines, thing } from '../things.ts'

const engines = createEngines()
afterEach(() => engines.close())

const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9'

const inputs = (late: unknown) => ({
  foo: 'bar',
  baz: { a: 42, b: late },
  qux: [late, 24],
  zed: late,
})

test('TestProviderPreview, TestProviderPreviewGrpc: a preview asks Create and Update with what is not known, and its answer reaches the program', async () => {
  const cloud = createCloud()
  const asked: unknown[] = []
  const script = {
    ...cloud.script,
    create: (ask: CreateRequest) => {
      asked.push(['create', ask.preview, JSON.stringify(ask.properties).includes(unknown)])
      return CreateResponse.create({ id: 'x', properties: ask.properties })
    },
    update: (ask: UpdateRequest) => {
      asked.push(['update', ask.preview, JSON.stringify(ask.news).includes(unknown)])
      return UpdateResponse.create({ properties: ask.news })
    },
  }
  const engine = await engines.of({ ...cloud, script })
  const heard: unknown[] = []
  const program =
    (late: unknown): Program =>
    async monitor =>
      void heard.push(
        (await thing(monitor, 'a', inputs(late), { supportsPartialValues: true })).object,
      )
  const turns = [
    [true, unknown, [['create', true, true]]],
    [false, 'alpha', [['create', false, false]]],
    [true, unknown, [['update', true, true]]],
    [true, 'beta', [['update', true, false]]],
  ] as const
  for (const [dryRun, late, calls] of turns) {
    const ran = await engine.run(program(late), { dryRun })
    expect(ran.result.result).toBe('succeeded')
    expect(asked.splice(0)).toEqual(calls)
    expect(heard.splice(0)).toEqual([inputs(late)])
  }
})

const message = ({ name }: { name?: unknown } = {}) => ({
  message: typeof name === 'string' ? `Hello, ${name}!` : 'unexpected',
})

/** Everything that a program may ask of a provider, and what it heard. */
async function everything(monitor: Monitor, late: unknown): Promise<readonly unknown[]> {
  const own = { type: 'pulumi:providers:comp', name: 'own', custom: true }
  const { urn, id } = await monitor.register({ ...own, object: { foo: late } })
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
  const b = await component(monitor, 'b', { provider, object })
  const args = b.object?.['foo'] === undefined ? {} : { name: b.object['foo'] }
  const called = await monitor.call({ tok: 'comp:index:Thing/hello', args, provider })
  const invoked = await monitor.invokeWith({ tok: 'comp:index:hello', args, provider })
  return [a.object, b.object, called.return, invoked.return].map(value => value ?? {})
}

test('TestProviderPreviewUnknowns: a provider whose settings are not known is asked nothing', async () => {
  const cloud = createCloud()
  const asked: string[] = []
  const hear = (what: string) => void asked.push(what)
  const rest = {
    ...cloud.script,
    create: ({ urn, properties, preview }: CreateRequest) => {
      hear(`create ${urn.split('::').at(-1)} ${preview}`)
      return CreateResponse.create({ id: preview ? '' : 'x', properties })
    },
    update: ({ news, preview }: UpdateRequest) => {
      hear(`update ${preview}`)
      return UpdateResponse.create({ properties: news })
    },
    invoke: ({ args }: InvokeRequest) => {
      hear('invoke')
      return InvokeResponse.create({ return: message(args) })
    },
  }
  const script = componentScript(
    {
      make: async (request, monitor) => {
        hear('construct')
        const urn = await itself(request, monitor)
        await thing(monitor, 'inside', {}, { parent: urn })
        const state = { foo: request.inputs?.['name'] }
        await monitor.outputs(urn, state)
        return { urn, state }
      },
      method: async ({ args }: CallRequest) => {
        hear('call')
        return CallResponse.create({ return: message(args) })
      },
    },
    rest,
  )
  const engine = await engines.of(cloud, { comp: script })
  const heard: unknown[] = []
  const program =
    (late: unknown): Program =>
    async monitor =>
      void heard.push(...(await everything(monitor, late)))
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
    const ran = await engine.run(program(late), { dryRun })
    expect([number, ran.result.result]).toEqual([number, 'succeeded'])
    expect([number, heard.splice(0)]).toEqual([number, answers])
    expect([number, asked.splice(0)]).toEqual([number, calls])
  }
})

test('TestSingleResourceDiffUnavailable: a provider that is not known yet may change all it has', async () => {
  const engine = await engines.of(createCloud())
  const program =
    (object: Record<string, unknown>): Program =>
    async monitor => {
      const own = { type: 'pulumi:providers:test', name: 'own', custom: true }
      const { urn, id } = await monitor.register({ ...own, object })
      await thing(monitor, 'a', {}, { provider: `${urn}::${id}` })
    }
  await engine.run(program({}))
  const shown = await engine.run(program({ input: unknown }), { dryRun: true })
  expect(shown.result.result).toBe('succeeded')
  expect(stepsOf(shown)).toEqual(['update a'])
  const told = shown.events.flatMap(event =>
    'diagnosticEvent' in event && event.diagnosticEvent.severity === 'warning'
      ? [event.diagnosticEvent]
      : [],
  )
  expect(told).toMatchObject([
    {
      urn: statesOf(shown, 'a')[0]?.urn,
      message: expect.stringContaining(
        'The provider for this resource has inputs that are not known during preview.',
      ),
    },
  ])
})

test('TestConstructHangsAfterRegisterResourceFailure: a component that never comes back does not keep the run', async () => {
  const cloud = createCloud()
  cloud.faults.add('create a-child')
  const script = componentScript({
    make: async (request, monitor) => {
      await thing(monitor, `${request.name}-child`, {}).catch(() => undefined)
      return new Promise<never>(() => undefined)
    },
  })
  const engine = await engines.of(cloud, { comp: script })
  const told: unknown[] = []
  const ran = await engine.run(async monitor => {
    await component(monitor, 'a').catch(thrown => told.push(thrown))
  })
  expect(ran.result.result).toBe('failed')
  expect(JSON.stringify(ran.events)).toContain('create a-child was refused')
  expect(told).toMatchObject([{ details: 'resource monitor shut down' }])
})

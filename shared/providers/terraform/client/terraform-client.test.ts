import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { Server, ServerCredentials, status, type UntypedHandleCall } from '@grpc/grpc-js'
import { afterEach, describe, expect, test } from 'vitest'
import { ProviderService as service5 } from '../../../../proto/gen/terraform/tfplugin5.ts'
import {
  GetProviderSchema_Response,
  InvokeAction_Event,
  ListResource_Event,
  PlanResourceChange_Response,
  ProviderService as service6,
  ReadDataSource_Response,
  ReadResource_Response,
  type Schema_Attribute,
  UpgradeResourceState_Response,
} from '../../../../proto/gen/terraform/tfplugin6.ts'
import {
  GRPCControllerService,
  GRPCStdioService,
} from '../../../../proto/gen/terraform/go_plugin.ts'
import { createProcesses } from '../../../platform/system/processes.ts'
import type { PluginMessage } from '../../plugins/plugin-message.ts'
import type { TerraformProcess } from './connect-provider.ts'
import { createTerraformHost } from './terraform-host.ts'

type Handlers = Readonly<Record<string, UntypedHandleCall>>

const closers: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

type Reply = (failure: Error | null, value?: unknown) => void

/** Responds to a unary call, and keeps the request in `requests`. */
function respond(answer: unknown, requests: unknown[] = []): UntypedHandleCall {
  return respondWith(() => answer, requests)
}

function respondWith(createAnswer: () => unknown, requests: unknown[]): UntypedHandleCall {
  const handle = (call: { readonly request: unknown }, reply: Reply): void => {
    const answer = createAnswer()
    requests.push(call.request)
    if (answer instanceof Error) reply(answer)
    else reply(null, answer)
  }
  return handle as UntypedHandleCall
}

/** Writes responses to a stream, and ends the stream unless `isEndless`. */
function writeEvents(
  events: readonly unknown[],
  options: { readonly isEndless?: boolean; readonly onCancel?: () => void } = {},
): UntypedHandleCall {
  const handle = (call: Writable): void => {
    call.on('cancelled', () => options.onCancel?.())
    for (const event of events) call.write(event)
    if (options.isEndless !== true) call.end()
  }
  return handle as unknown as UntypedHandleCall
}

function statusError(code: status, details: string): Error {
  return Object.assign(new Error(details), { code, details })
}

/** Serves a provider in this process, which the host reattaches. */
async function serve(
  handlers: Handlers,
  options: {
    readonly protocol?: 5 | 6
    readonly others?: readonly (readonly [Parameters<Server['addService']>[0], Handlers])[]
    readonly isTest?: boolean
    readonly isDeferralAllowed?: boolean
    readonly network?: 'unix' | 'tcp'
  } = {},
): Promise<{ provider: TerraformProcess; messages: readonly PluginMessage[]; server: Server }> {
  const { protocol = 6, others = [], isTest = true, isDeferralAllowed = false } = options
  const { network = 'unix' } = options
  const folder = mkdtempSync(join(tmpdir(), 'tf-client-'))
  const server = new Server({ 'grpc.max_receive_message_length': -1 })
  server.addService(protocol === 6 ? service6 : service5, { ...handlers })
  for (const [service, own] of others) server.addService(service, { ...own })
  const path = join(folder, 'socket')
  const target = network === 'unix' ? `unix:${path}` : '127.0.0.1:0'
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(target, ServerCredentials.createInsecure(), (failure, boundPort) =>
      failure === null ? resolve(boundPort) : reject(failure),
    )
  })
  const entry = {
    Protocol: 'grpc',
    ProtocolVersion: protocol,
    Test: isTest,
    Addr: { Network: network, String: network === 'unix' ? path : `127.0.0.1:${port}` },
  }
  const messages: PluginMessage[] = []
  const host = createTerraformHost({
    processes: createProcesses(),
    env: { TF_REATTACH_PROVIDERS: JSON.stringify({ scripted: entry }) },
    report: message => messages.push(message),
  })
  const provider = await host.start({
    ...{ name: 'scripted', source: 'scripted', path: '', cwd: folder, isDeferralAllowed },
    redact: text => text.replaceAll('hunter2', '[secret]'),
  })
  closers.push(
    () => provider.close(),
    () => server.forceShutdown(),
    () => rmSync(folder, { recursive: true, force: true }),
  )
  return { provider, messages, server }
}

const bytes = (...values: number[]): Buffer => Buffer.from(values)
const noBytes = new Uint8Array()
const config = { msgpack: bytes(0x80) }

async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const event of events) collected.push(event)
  return collected
}

describe('procedures that a provider lacks', () => {
  test.each([5, 6] as const)('are empty for the optional ones of protocol %d', async protocol => {
    const { provider } = await serve({}, { protocol })
    const { client } = provider
    expect(await client.getFunctions()).toEqual({ functions: new Map(), diagnostics: [] })
    expect(await client.getResourceIdentitySchemas()).toEqual({
      schemas: new Map(),
      diagnostics: [],
    })
    await expect(client.planAction({ actionType: 'a', config })).rejects.toMatchObject({
      message: "provider 'scripted' does not support PlanAction",
      status: 'ok',
      code: status.UNIMPLEMENTED,
    })
  })
})

describe('a status of gRPC', () => {
  test('of an unsure kind makes the effect unknown, and its text is redacted', async () => {
    const failure = statusError(status.UNKNOWN, 'broken by hunter2')
    const { provider } = await serve({ readResource: respond(failure) })
    const request = { typeName: 't', currentState: config, private: noBytes }
    await expect(provider.client.readResource(request)).rejects.toMatchObject({
      message: "provider 'scripted' failed in ReadResource: broken by [secret]",
      status: 'unknown',
    })
  })

  test('after a lost connection makes the effect unknown', async () => {
    const { provider, server } = await serve({ readResource: () => server.forceShutdown() })
    const request = { typeName: 't', currentState: config, private: noBytes }
    await expect(provider.client.readResource(request)).rejects.toMatchObject({
      message: expect.stringContaining("provider 'scripted' lost its connection"),
      status: 'lost',
    })
  })
})

describe('values', () => {
  test('arrive as MessagePack, as JSON, or as undefined for null', async () => {
    const values = [
      { msgpack: bytes(0xc0), json: bytes(0x31) },
      { json: bytes(0x31) },
      {},
      undefined,
    ]
    const requests: unknown[] = []
    const createAnswer = () =>
      ReadResource_Response.fromPartial({ newState: values[requests.length] })
    const { provider } = await serve({ readResource: respondWith(createAnswer, requests) })
    const read = async () => {
      const { newState } = await provider.client.readResource({
        typeName: 't',
        currentState: config,
        private: bytes(2),
        currentIdentity: { msgpack: bytes(0x81) },
      })
      return newState
    }
    expect(await read()).toEqual({ msgpack: bytes(0xc0) })
    expect(await read()).toEqual({ json: bytes(0x31) })
    expect(await read()).toBeUndefined()
    expect(await read()).toBeUndefined()
    expect(requests[0]).toMatchObject({
      currentState: { msgpack: bytes(0x80), json: noBytes },
      currentIdentity: { identityData: { msgpack: bytes(0x81) } },
      providerMeta: undefined,
      private: bytes(2),
      clientCapabilities: { deferralAllowed: false, writeOnlyAttributesAllowed: true },
    })
  })

  test('above the usual limits of gRPC pass in both directions', async () => {
    const state = { msgpack: Buffer.alloc(20_000_000, 1), json: noBytes }
    const { provider } = await serve({
      readDataSource: respond(ReadDataSource_Response.fromPartial({ state })),
    })
    const answer = await provider.client.readDataSource({ typeName: 't', config: state })
    expect(answer.state).toMatchObject({ msgpack: { length: 20_000_000 } })
  })

  test('of stored states are sent as JSON or as a flat map', async () => {
    const requests: unknown[] = []
    const { provider } = await serve({
      upgradeResourceState: respond(UpgradeResourceState_Response.fromPartial({}), requests),
    })
    const upgrade = provider.client.upgradeResourceState
    await upgrade({ typeName: 't', version: 3, stored: { json: bytes(0x31) } })
    await upgrade({ typeName: 't', version: 0, stored: { flatmap: new Map([['a', 'b']]) } })
    expect(requests).toEqual([
      { typeName: 't', version: 3, rawState: { json: bytes(0x31), flatmap: new Map() } },
      { typeName: 't', version: 0, rawState: { json: noBytes, flatmap: new Map([['a', 'b']]) } },
    ])
  })
})

describe('a plan', () => {
  test('has the paths of replacement, a deferral, an identity and diagnostics', async () => {
    const steps = [
      { selector: { $case: 'attributeName', value: 'a' } },
      { selector: undefined },
      { selector: { $case: 'elementKeyString', value: 'k' } },
      { selector: { $case: 'elementKeyInt', value: 2 ** 40 } },
    ] as const
    const requests: unknown[] = []
    const answer = PlanResourceChange_Response.fromPartial({
      requiresReplace: [{ steps: [...steps] }],
      diagnostics: [{ severity: 0, summary: 's', detail: 'd' }],
      legacyTypeSystem: true,
      deferred: { reason: 3 },
      plannedIdentity: { identityData: { msgpack: bytes(1) } },
    })
    const { provider } = await serve(
      { planResourceChange: respond(answer, requests) },
      { isDeferralAllowed: true },
    )
    const states = { priorState: config, proposedNewState: config, config }
    const planned = await provider.client.planResourceChange({
      ...{ typeName: 't', ...states, priorPrivate: noBytes },
    })
    expect(planned).toEqual({
      plannedState: undefined,
      requiresReplace: [
        [
          { kind: 'attribute', name: 'a' },
          { kind: 'key', key: 'k' },
          { kind: 'index', index: 2 ** 40 },
        ],
      ],
      plannedPrivate: noBytes,
      plannedIdentity: { msgpack: bytes(1) },
      isLegacyTypeSystem: true,
      deferralReason: 'absentPrerequisite',
      diagnostics: [{ severity: 'error', summary: 's', detail: 'd', path: [] }],
    })
    expect(requests[0]).toMatchObject({ clientCapabilities: { deferralAllowed: true } })
  })
})

describe('a stream', () => {
  test('lists resources, and ends when its reader stops', async () => {
    const events = ['a', 'b'].map(displayName => ListResource_Event.fromPartial({ displayName }))
    const isCancelled = Promise.withResolvers<void>()
    const { provider } = await serve({
      listResource: writeEvents(events, { isEndless: true, onCancel: isCancelled.resolve }),
    })
    const request = { typeName: 't', config, includeResourceObject: false, limit: 0 }
    const names: string[] = []
    for await (const { displayName } of provider.client.listResource(request)) {
      names.push(displayName)
      if (displayName === 'b') break
    }
    expect(names).toEqual(['a', 'b'])
    await isCancelled.promise
  })

  test('has the progress and the end of an action', async () => {
    const answers = [
      InvokeAction_Event.fromPartial({ type: { $case: 'progress', value: { message: 'half' } } }),
      InvokeAction_Event.fromPartial({ type: { $case: 'completed', value: {} } }),
    ]
    const { provider } = await serve({ invokeAction: writeEvents(answers) })
    const invoked = provider.client.invokeAction({ actionType: 'a', config })
    expect(await collect(invoked)).toEqual([
      { kind: 'progress', message: 'half' },
      { kind: 'completed', diagnostics: [] },
    ])
  })

  test('that fails throws a ProviderError', async () => {
    const { provider } = await serve({})
    const invoked = provider.client.invokeAction({ actionType: 'a', config })
    await expect(collect(invoked)).rejects.toThrow('does not support InvokeAction')
  })
})

describe('the schema of a provider', () => {
  type Attribute = Parameters<typeof Schema_Attribute.fromPartial>[0]

  const serveSchema = (attribute: Attribute) => {
    const provider = { block: { attributes: [attribute] } }
    return serve({
      getProviderSchema: respond(GetProviderSchema_Response.fromPartial({ provider })),
    })
  }

  test.each<[Attribute, string]>([
    [{ name: 'a', type: Buffer.from('{') }, "has a type that is not JSON in its attribute 'a'"],
    [{ name: 'a', nestedType: { nesting: 0 } }, "has the nesting mode 0 in its attribute 'a'"],
  ])('that is malformed is refused with its place', async (attribute, problem) => {
    const served = await serveSchema(attribute)
    await expect(served.provider.client.getProviderSchema()).rejects.toMatchObject({
      code: 'PLUGIN_FAILED',
      message: `the provider's schema ${problem}`,
    })
  })

  test('has nested types in protocol 6', async () => {
    const inner = { name: 'b', type: Buffer.from('"string"'), writeOnly: true }
    const served = await serveSchema({ name: 'a', nestedType: { attributes: [inner], nesting: 4 } })
    const schema = await served.provider.client.getProviderSchema()
    expect(schema.provider?.block.attributes).toMatchObject([
      {
        name: 'a',
        type: undefined,
        nestedType: {
          nesting: 'map',
          attributes: [{ name: 'b', type: 'string', isWriteOnly: true }],
        },
      },
    ])
  })
})

describe('a provider that the user runs', () => {
  test('answers calls on a TCP port', async () => {
    const { provider } = await serve({}, { network: 'tcp' })
    expect((await provider.client.getFunctions()).diagnostics).toEqual([])
  })

  test('has its output of GRPCStdio reported line by line', async () => {
    const chunks = [
      { channel: 1, data: Buffer.from('one\ntw') },
      { channel: 2, data: Buffer.from('err\n') },
      { channel: 1, data: Buffer.from('o\n') },
    ]
    const streamStdio = writeEvents(chunks, { isEndless: true })
    const { messages } = await serve({}, { others: [[GRPCStdioService, { streamStdio }]] })
    const textsOf = (streamId: number) =>
      messages.filter(message => message.streamId === streamId).map(({ text }) => text)
    await expect.poll(() => textsOf(1)).toEqual(['one', 'two'])
    await expect.poll(() => textsOf(2)).toEqual(['err'])
  })

  test.each([
    [true, 0],
    [false, 1],
  ])('of a test (%s) gets %d calls of Shutdown', async (isTest, count) => {
    const requests: unknown[] = []
    const shutdown = respond({}, requests)
    const { provider } = await serve(
      {},
      { others: [[GRPCControllerService, { shutdown }]], isTest },
    )
    await provider.close()
    expect(requests).toHaveLength(count)
  })
})

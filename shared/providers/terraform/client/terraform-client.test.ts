import { status } from '@grpc/grpc-js'
import { afterEach, describe, expect, test } from 'vitest'
import {
  GRPCControllerService,
  GRPCStdioService,
} from '../../../../proto/gen/terraform/go_plugin.ts'
import {
  GetProviderSchema_Response,
  InvokeAction_Event,
  ListResource_Event,
  PlanResourceChange_Response,
  ReadDataSource_Response,
  ReadResource_Response,
  type Schema_Attribute,
  UpgradeResourceState_Response,
} from '../../../../proto/gen/terraform/tfplugin6.ts'
import {
  closeServedProviders,
  createResponder,
  createComputedResponder,
  serveTerraform,
  createStatusError,
  createStreamHandler,
} from './serve-terraform.fixture.ts'

afterEach(closeServedProviders)

const bytesOf = (...values: number[]): Buffer => Buffer.from(values)
const noBytes = new Uint8Array()
const config = { msgpack: bytesOf(0x80) }

async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const event of events) collected.push(event)
  return collected
}

describe('procedures that a provider lacks', () => {
  test.each([5, 6] as const)(
    'have an empty result if they are optional in protocol %d, and otherwise fail',
    async protocol => {
      const { provider } = await serveTerraform({}, { protocol })
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
    },
  )
})

describe('a status of gRPC', () => {
  test('that does not show whether the call took effect makes the effect unknown, and its text is redacted', async () => {
    const failure = createStatusError(status.UNKNOWN, 'broken by hunter2')
    const { provider } = await serveTerraform({ readResource: createResponder(failure) })
    const request = { typeName: 't', currentState: config, private: noBytes }
    await expect(provider.client.readResource(request)).rejects.toMatchObject({
      message: "provider 'scripted' failed in ReadResource: broken by [secret]",
      status: 'unknown',
    })
  })

  test('after a lost connection is reported as lost', async () => {
    const { provider, server } = await serveTerraform({
      readResource: () => server.forceShutdown(),
    })
    const request = { typeName: 't', currentState: config, private: noBytes }
    await expect(provider.client.readResource(request)).rejects.toMatchObject({
      message: expect.stringContaining("provider 'scripted' lost its connection"),
      status: 'lost',
    })
  })
})

describe('values', () => {
  test('arrive as MessagePack, as JSON, or as undefined if they are empty or absent', async () => {
    const values = [
      { msgpack: bytesOf(0xc0), json: bytesOf(0x31) },
      { json: bytesOf(0x31) },
      {},
      undefined,
    ]
    const requests: unknown[] = []
    const createResponse = () =>
      ReadResource_Response.fromPartial({ newState: values[requests.length] })
    const { provider } = await serveTerraform({
      readResource: createComputedResponder(createResponse, requests),
    })
    const read = async () => {
      const { newState } = await provider.client.readResource({
        typeName: 't',
        currentState: config,
        private: bytesOf(2),
        currentIdentity: { msgpack: bytesOf(0x81) },
      })
      return newState
    }
    expect(await read()).toEqual({ msgpack: bytesOf(0xc0) })
    expect(await read()).toEqual({ json: bytesOf(0x31) })
    expect(await read()).toBeUndefined()
    expect(await read()).toBeUndefined()
    expect(requests[0]).toMatchObject({
      currentState: { msgpack: bytesOf(0x80), json: noBytes },
      currentIdentity: { identityData: { msgpack: bytesOf(0x81) } },
      providerMeta: undefined,
      private: bytesOf(2),
      clientCapabilities: { deferralAllowed: false, writeOnlyAttributesAllowed: true },
    })
  })

  test('above the usual limits of gRPC are received', async () => {
    const state = { msgpack: Buffer.alloc(20_000_000, 1), json: noBytes }
    const { provider } = await serveTerraform({
      readDataSource: createResponder(ReadDataSource_Response.fromPartial({ state })),
    })
    const response = await provider.client.readDataSource({ typeName: 't', config: state })
    expect(response.state).toMatchObject({ msgpack: { length: 20_000_000 } })
  })

  test('of stored states are sent as JSON or as a flat map', async () => {
    const requests: unknown[] = []
    const { provider } = await serveTerraform({
      upgradeResourceState: createResponder(
        UpgradeResourceState_Response.fromPartial({}),
        requests,
      ),
    })
    const upgrade = provider.client.upgradeResourceState
    await upgrade({ typeName: 't', version: 3, stored: { json: bytesOf(0x31) } })
    await upgrade({ typeName: 't', version: 0, stored: { flatmap: new Map([['a', 'b']]) } })
    expect(requests).toEqual([
      { typeName: 't', version: 3, rawState: { json: bytesOf(0x31), flatmap: new Map() } },
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
    const response = PlanResourceChange_Response.fromPartial({
      requiresReplace: [{ steps: [...steps] }],
      diagnostics: [{ severity: 0, summary: 's', detail: 'd' }],
      legacyTypeSystem: true,
      deferred: { reason: 3 },
      plannedIdentity: { identityData: { msgpack: bytesOf(1) } },
    })
    const { provider } = await serveTerraform(
      { planResourceChange: createResponder(response, requests) },
      { isDeferralAllowed: true },
    )
    const states = { priorState: config, proposedNewState: config, config }
    const planned = await provider.client.planResourceChange({
      typeName: 't',
      ...states,
      priorPrivate: noBytes,
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
      plannedIdentity: { msgpack: bytesOf(1) },
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
    const cancellation = Promise.withResolvers<void>()
    const { provider } = await serveTerraform({
      listResource: createStreamHandler(events, {
        isEndless: true,
        onCancel: cancellation.resolve,
      }),
    })
    const request = { typeName: 't', config, includeResourceObject: false, limit: 0 }
    const names: string[] = []
    for await (const { displayName } of provider.client.listResource(request)) {
      names.push(displayName)
      if (displayName === 'b') break
    }
    expect(names).toEqual(['a', 'b'])
    await cancellation.promise
  })

  test('has the progress and the end of an action', async () => {
    const events = [
      InvokeAction_Event.fromPartial({ type: { $case: 'progress', value: { message: 'half' } } }),
      InvokeAction_Event.fromPartial({ type: { $case: 'completed', value: {} } }),
    ]
    const { provider } = await serveTerraform({ invokeAction: createStreamHandler(events) })
    const invoked = provider.client.invokeAction({ actionType: 'a', config })
    expect(await collect(invoked)).toEqual([
      { kind: 'progress', message: 'half' },
      { kind: 'completed', diagnostics: [] },
    ])
  })

  test('that fails throws a ProviderError', async () => {
    const { provider } = await serveTerraform({})
    const invoked = provider.client.invokeAction({ actionType: 'a', config })
    await expect(collect(invoked)).rejects.toThrow('does not support InvokeAction')
  })
})

describe('the schema of a provider', () => {
  type Attribute = Parameters<typeof Schema_Attribute.fromPartial>[0]

  const serveSchema = (attribute: Attribute) => {
    const provider = { block: { attributes: [attribute] } }
    return serveTerraform({
      getProviderSchema: createResponder(GetProviderSchema_Response.fromPartial({ provider })),
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
  test('responds to calls on a TCP port', async () => {
    const { provider } = await serveTerraform({}, { network: 'tcp' })
    expect((await provider.client.getFunctions()).diagnostics).toEqual([])
  })

  test('has its output of GRPCStdio reported line by line', async () => {
    const chunks = [
      { channel: 1, data: Buffer.from('one\ntw') },
      { channel: 2, data: Buffer.from('err\n') },
      { channel: 1, data: Buffer.from('o\n') },
    ]
    const streamStdio = createStreamHandler(chunks, { isEndless: true })
    const { messages } = await serveTerraform(
      {},
      { otherServices: [[GRPCStdioService, { streamStdio }]] },
    )
    const textsOf = (streamId: number) =>
      messages.filter(message => message.streamId === streamId).map(({ text }) => text)
    await expect.poll(() => textsOf(1)).toEqual(['one', 'two'])
    await expect.poll(() => textsOf(2)).toEqual(['err'])
  })

  test.each([
    [true, 0],
    [false, 1],
  ])('in test mode (%s) gets %d calls of Shutdown', async (isTest, count) => {
    const requests: unknown[] = []
    const shutdown = createResponder({}, requests)
    const { provider } = await serveTerraform(
      {},
      { otherServices: [[GRPCControllerService, { shutdown }]], isTest },
    )
    await provider.close()
    expect(requests).toHaveLength(count)
  })
})

import { status } from '@grpc/grpc-js'
import { afterEach, describe, expect, test } from 'vitest'
import {
  ConfigureResponse,
  CreateResponse,
  InvokeResponse,
  ReadResponse,
  UpdateResponse,
} from '../../../proto/gen/pulumi/provider.ts'
import type { PropertyValue } from '../../values/value.ts'
import { signatureKey as sig } from '../../values/wire-options.ts'
import {
  allCapabilities,
  closeServers,
  createArguments,
  catchProviderError,
  createPropertyMap,
  noProperties,
  readArguments,
  createSecretValue,
  serveProvider,
  resourceIdentity,
  updateArguments,
  createWireSecret,
} from './driver.fixture.ts'
import { createFailure, createInitFailure } from './scripted-server.fixture.ts'

afterEach(closeServers)

describe('create and update', () => {
  const create = (request: { properties: Record<string, unknown> }): CreateResponse =>
    CreateResponse.create({ id: 'i', properties: { ...request.properties, extra: 1 } })

  test('a provider with secret support gets wrapped secrets, and its marks are kept', async () => {
    const configure = (): ConfigureResponse => ConfigureResponse.create({ acceptSecrets: true })
    const { provider, calls } = await serveProvider({ configure, create })
    const createResult = await provider.create({
      ...createArguments,
      inputs: createPropertyMap({ a: createSecretValue(1) }),
    })
    expect(calls[1]?.request).toMatchObject({ properties: { a: createWireSecret(1) } })
    expect(createResult).toEqual({
      id: 'i',
      outputs: createPropertyMap({ a: createSecretValue(1), extra: 1 }),
      refreshBeforeUpdate: false,
    })
  })

  test('a provider without secret support gets plaintext, and its results are marked again', async () => {
    const { provider, calls } = await serveProvider({ create })
    const createResult = await provider.create({
      ...createArguments,
      inputs: createPropertyMap({ a: createSecretValue(1) }),
    })
    expect(calls[1]?.request).toMatchObject({ properties: { a: 1 } })
    expect(createResult.outputs).toEqual(createPropertyMap({ a: createSecretValue(1), extra: 1 }))
  })

  test('a preview calls only providers that support previews', async () => {
    const plain = await serveProvider({ create })
    const preview = { ...createArguments, preview: true }
    expect(await plain.provider.create(preview)).toMatchObject({
      id: '',
      outputs: createPropertyMap({ a: 1 }),
    })
    expect(plain.calls).toHaveLength(1)
    const able = await serveProvider({ create }, { handshakeCapabilities: allCapabilities })
    expect((await able.provider.create(preview)).outputs).toEqual(
      createPropertyMap({ a: 1, extra: 1 }),
    )
    expect(able.calls[1]?.request).toMatchObject({ preview: true })
  })

  test('a create without an id has an unknown effect', async () => {
    const { provider } = await serveProvider({ create: () => CreateResponse.create({}) })
    expect(await catchProviderError(provider.create(createArguments))).toMatchObject({
      status: 'unknown',
    })
  })

  test('a partial create returns the existing resource with marked secrets; without an id its effect is unknown', async () => {
    let id = 'i'
    const { provider } = await serveProvider({
      create: () => {
        throw createInitFailure({ id, properties: { a: 1 }, reasons: ['slow'], inputs: { a: 1 } })
      },
    })
    const input = { ...createArguments, inputs: createPropertyMap({ a: createSecretValue(1) }) }
    expect(await catchProviderError(provider.create(input))).toMatchObject({
      message: 'not ready',
      status: 'partial',
      partialResource: {
        id: 'i',
        outputs: createPropertyMap({ a: createSecretValue(1) }),
        inputs: createPropertyMap({ a: createSecretValue(1) }),
      },
    })
    id = ''
    expect(await catchProviderError(provider.create(input))).toMatchObject({
      status: 'unknown',
      partialResource: undefined,
    })
  })

  test('an update replaces all old outputs', async () => {
    const { provider } = await serveProvider({ update: () => UpdateResponse.create({}) })
    expect((await provider.update(updateArguments)).outputs).toEqual(noProperties)
  })

  test('the error of an unreadable value names provider, method and property', async () => {
    const { provider } = await serveProvider({
      create: () => CreateResponse.create({ id: 'i', properties: { a: { b: { [sig]: 'x' } } } }),
    })
    const failed = await catchProviderError(provider.create(createArguments))
    expect(failed.message).toMatch(/'scripted' answered Create with a malformed value: .*'a\.b'/)
    expect(failed.status).toBe('unknown')
  })

  test('an unknown value outside of a preview is malformed', async () => {
    const properties = { a: '04da6b54-80e4-46f7-96ec-b56ff0331ba9' }
    const { provider } = await serveProvider({
      update: () => UpdateResponse.create({ properties }),
    })
    expect((await catchProviderError(provider.update(updateArguments))).message).toContain(
      "'a' is unknown",
    )
  })

  test('bytes for a provider without support for them fail before the call', async () => {
    const { provider, calls } = await serveProvider({ create })
    const inputs = createPropertyMap({ a: { kind: 'bytes', base64: '/w==' } })
    expect(await catchProviderError(provider.create({ ...createArguments, inputs }))).toMatchObject(
      {
        status: 'ok',
      },
    )
    expect(calls).toHaveLength(1)
  })
})

describe('read, delete and invoke', () => {
  test('absent and empty maps differ, except for the outputs of an import', async () => {
    let properties: Record<string, unknown> | undefined
    const { provider, calls } = await serveProvider({
      read: () => ReadResponse.create({ id: 'i', properties }),
    })
    expect(await provider.read(readArguments)).toMatchObject({
      outputs: undefined,
      inputs: undefined,
    })
    properties = {}
    expect((await provider.read(readArguments)).outputs).toEqual(noProperties)
    await provider.read({ ...readArguments, inputs: undefined, outputs: undefined })
    expect(calls[2]?.request).toMatchObject({ inputs: {}, properties: {} })
    expect(calls[3]?.request).toMatchObject({ inputs: undefined, properties: {} })
  })

  test('assets that are returned as hashes get the sent contents', async () => {
    const asset: PropertyValue = { kind: 'asset', hash: 'ab', source: { text: 't' } }
    const { provider } = await serveProvider({
      read: (request: { inputs: Record<string, unknown> }) =>
        ReadResponse.create({ id: 'i', properties: request.inputs, inputs: request.inputs }),
    })
    const result = await provider.read({ ...readArguments, inputs: createPropertyMap({ asset }) })
    expect(result).toMatchObject({
      inputs: createPropertyMap({ asset }),
      outputs: createPropertyMap({ asset }),
    })
  })

  test('an unhealthy read is a result with reasons', async () => {
    const { provider } = await serveProvider({
      read: () => {
        throw createInitFailure({ id: 'j', properties: { a: 1 }, reasons: ['sick'] })
      },
    })
    expect(await provider.read(readArguments)).toMatchObject({
      id: 'j',
      outputs: createPropertyMap({ a: 1 }),
      inputs: undefined,
      initErrors: ['sick'],
    })
  })

  test('a delete sends old inputs and outputs', async () => {
    const { provider, calls } = await serveProvider({ delete: () => ({}) })
    await provider.delete({
      ...resourceIdentity,
      id: 'i',
      inputs: createPropertyMap({ a: 1 }),
      outputs: noProperties,
      timeoutSeconds: 5,
    })
    expect(calls[1]?.request).toMatchObject({ oldInputs: { a: 1 }, properties: {}, timeout: 5 })
  })

  test('one secret argument makes all results secret for a provider without secret support', async () => {
    const invoke = (): InvokeResponse => InvokeResponse.create({ return: { a: 1, b: 2 } })
    const args = createPropertyMap({ x: [createSecretValue(1)] })
    const plain = await serveProvider({ invoke })
    expect(await plain.provider.invoke({ token: 't', args, preview: false })).toEqual({
      outputs: createPropertyMap({ a: createSecretValue(1), b: createSecretValue(2) }),
      failures: [],
    })
    const able = await serveProvider({ invoke }, { handshakeCapabilities: allCapabilities })
    expect((await able.provider.invoke({ token: 't', args, preview: true })).outputs).toEqual(
      createPropertyMap({ a: 1, b: 2 }),
    )
    expect(able.calls[1]?.request).toMatchObject({ preview: true })
    expect(plain.calls[1]?.request).toMatchObject({ preview: false })
  })
})

describe('the effect of a failed call by its status', () => {
  test.each([
    [status.UNKNOWN, 'unknown'],
    [status.INTERNAL, 'unknown'],
    [status.DATA_LOSS, 'unknown'],
    [status.INVALID_ARGUMENT, 'ok'],
    [status.UNAVAILABLE, 'ok'],
    [status.CANCELLED, 'ok'],
    [status.DEADLINE_EXCEEDED, 'ok'],
  ])('code %s of the provider: %s', async (code, expected) => {
    const { provider } = await serveProvider({
      create: () => {
        throw createFailure(code, 'said so')
      },
    })
    const failed = await catchProviderError(provider.create(createArguments))
    expect(failed).toMatchObject({ status: expected, code, message: 'said so' })
  })

  test('a connection that breaks during a call: lost', async () => {
    const served = await serveProvider({
      create: () => {
        served.breakConnections()
        return new Promise(() => {})
      },
    })
    const lostFailure = { status: 'lost', isRequestUnsent: false }
    expect(await catchProviderError(served.provider.create(createArguments))).toMatchObject(
      lostFailure,
    )
  })

  test('a call without a connection had no effect', async () => {
    const served = await serveProvider({})
    served.breakConnections()
    await catchProviderError(served.provider.create(createArguments))
    const unsent = { status: 'ok', isRequestUnsent: true }
    expect(await catchProviderError(served.provider.create(createArguments))).toMatchObject(unsent)
  })

  test('unreadable details do not change the status', async () => {
    const { provider } = await serveProvider({
      create: () => {
        throw createFailure(status.UNKNOWN, 'said so', {
          type: 'pulumirpc.ErrorResourceInitFailed',
          value: new Uint8Array([10, 200]),
        })
      },
    })
    expect(await catchProviderError(provider.create(createArguments))).toMatchObject({
      status: 'unknown',
      message: 'said so',
    })
  })
})

import { status } from '@grpc/grpc-js'
import { afterEach, describe, expect, test } from 'vitest'
import {
  CheckResponse,
  ConfigureErrorMissingKeys,
  ConfigureResponse,
  CreateResponse,
  DiffResponse,
  InvokeResponse,
  ReadResponse,
  UpdateResponse,
} from '../../../proto/gen/pulumi/provider.ts'
import type { Urn } from '../../names/urn.ts'
import { type PropertyMap, type PropertyValue, unknown } from '../../values/value.ts'
import { signatureKey as sig, signatures } from '../../values/wire-options.ts'
import { ProviderError } from '../provider.ts'
import {
  failing,
  initFailing,
  type Script,
  type ScriptedProvider,
  serveScript,
} from './scripted-server.ts'

const servers: ScriptedProvider[] = []
afterEach(() => {
  for (const each of servers.splice(0)) each.close()
})

const subject = { urn: 'urn:pulumi:d::p::a:b:C::n' as Urn, name: 'n', type: 'a:b:C' }
const config = {
  urn: 'urn:pulumi:d::p::pulumi:providers:a::n' as Urn,
  name: 'n',
  type: 'pulumi:providers:a',
  id: 'id',
}
const secret = (value: PropertyValue): PropertyValue => ({ kind: 'secret', value })
const wrapped = (value: unknown): Record<string, unknown> => ({ [sig]: signatures.secret, value })
const none = map({})
const all = { secrets: true, references: true, bytes: true, preview: true }

function map(fields: Record<string, PropertyValue>): PropertyMap {
  return new Map(Object.entries(fields))
}

async function serve(
  script: Script,
  given: Parameters<typeof serveScript>[1] & { inputs?: PropertyMap } = {},
): Promise<ScriptedProvider> {
  const { inputs = none, ...deps } = given
  const configure = (): ConfigureResponse => ConfigureResponse.create({})
  const served = await serveScript({ configure, ...script }, deps)
  servers.push(served)
  await served.provider.configure({ ...config, inputs })
  return served
}

async function failureOf(promise: Promise<unknown>): Promise<ProviderError> {
  const thrown = await promise.then(
    () => undefined,
    (failed: unknown) => failed,
  )
  if (thrown instanceof ProviderError) return thrown
  throw new Error(`no ProviderError but ${String(thrown)}`)
}

const creating = { ...subject, inputs: map({ a: 1 }), timeout: 0, preview: false }
const updating = {
  ...subject,
  id: 'i',
  oldInputs: none,
  oldOutputs: none,
  newInputs: map({ a: 1 }),
  timeout: 0,
  ignoreChanges: [],
  preview: false,
}
const reading = { ...subject, id: 'i', inputs: none, outputs: none, timeout: 0 }

describe('configuration', () => {
  test('goes as text variables without the version, and as values with it', async () => {
    const inputs = map({ version: '1.0.0', region: secret('x'), deep: map({ a: secret(true) }) })
    const { calls } = await serve({}, { inputs })
    expect(calls[0]?.request).toMatchObject({
      variables: new Map([
        ['a:config:region', 'x'],
        ['a:config:deep', '{"a":true}'],
      ]),
      args: { version: '1.0.0', region: wrapped('x'), deep: { a: wrapped(true) } },
      acceptSecrets: true,
      id: 'id',
      type: 'pulumi:providers:a',
    })
  })

  test('is left out when an input is unknown, and then everything is answered here', async () => {
    const { provider, calls } = await serve({}, { inputs: map({ region: secret(unknown) }) })
    expect(provider.isUnconfigured()).toBe(true)
    const check = { ...subject, olds: undefined, news: map({ a: 1 }), allowUnknowns: true }
    expect(await provider.check({ ...check, randomSeed: new Uint8Array(32) })).toEqual({
      inputs: map({ a: 1 }),
      failures: [],
    })
    expect(await provider.diff({ ...updating, allowUnknowns: true })).toMatchObject({
      changes: 'some',
    })
    expect((await provider.create({ ...creating, preview: true })).outputs).toEqual(none)
    expect((await provider.update({ ...updating, preview: true })).outputs).toEqual(none)
    expect(await provider.read(reading)).toMatchObject({ id: '', outputs: none, inputs: none })
    expect((await provider.invoke({ token: 't', args: none, preview: true })).outputs).toEqual(none)
    await expect(provider.create(creating)).rejects.toThrow('is configured')
    expect(calls).toEqual([])
  })

  test('that fails is told by itself and by every later call, with the missing keys', async () => {
    const missing = ConfigureErrorMissingKeys.create({
      missingKeys: [{ name: 'a:token', description: 'the token' }],
    })
    const detail = {
      type: 'pulumirpc.ConfigureErrorMissingKeys',
      value: ConfigureErrorMissingKeys.encode(missing).finish(),
    }
    const configure = (): never => {
      throw failing(status.INVALID_ARGUMENT, 'bad', detail)
    }
    const served = await serveScript({ configure })
    servers.push(served)
    const first = await failureOf(served.provider.configure({ ...config, inputs: none }))
    expect(first.message).toContain("missing required configuration key 'a:token': the token")
    expect(first.status).toBe('ok')
    expect(await failureOf(served.provider.create(creating))).toBe(first)
  })

  test('that a provider does not check is taken as it is, and never differs for it', async () => {
    const { provider } = await serve({})
    const checking = { ...config, olds: undefined, news: map({ a: 1 }), allowUnknowns: true }
    expect(await provider.checkConfig(checking)).toEqual({ inputs: map({ a: 1 }), failures: [] })
    expect(await provider.diffConfig({ ...updating, ...config })).toMatchObject({
      changes: 'unknown',
      detailedDiff: null,
    })
  })

  test('is checked in clear and marked again', async () => {
    const checkConfig = (request: { news: Record<string, unknown> }): CheckResponse =>
      CheckResponse.create({ inputs: request.news })
    const { provider, calls } = await serve({ checkConfig })
    const news = map({ a: secret('s'), b: [secret(1)], c: map({ d: secret(unknown) }) })
    const asked = { ...config, olds: undefined, news, allowUnknowns: true }
    const { inputs } = await provider.checkConfig(asked)
    expect(calls[1]?.request).toMatchObject({ olds: undefined, news: { a: 's', b: [1] } })
    expect(inputs).toEqual(map({ a: secret('s'), b: secret([1]), c: map({ d: secret(unknown) }) }))
  })
})

describe('check and diff', () => {
  test('olds are sent empty when there are none; a provider without secrets gets none', async () => {
    const check = (request: { news: Record<string, unknown> }): CheckResponse =>
      CheckResponse.create({
        inputs: { ...request.news, extra: wrapped(2) },
        failures: [{ property: 'a', reason: 'no' }],
      })
    const { provider, calls } = await serve({ check })
    const result = await provider.check({
      ...subject,
      olds: undefined,
      news: map({ a: secret(1), u: unknown }),
      allowUnknowns: false,
      randomSeed: new Uint8Array([7]),
    })
    expect(calls[1]?.request).toMatchObject({ olds: {}, news: { a: 1 } })
    expect(result.inputs).toEqual(map({ a: secret(1), extra: secret(2) }))
    expect(result.failures).toEqual([{ property: 'a', reason: 'no' }])
  })

  test('a detailed diff counts only when it is announced', async () => {
    const answer = { changes: 2, replaces: ['a'], diffs: ['a'] } as const
    const detailedDiff = new Map([['a', { kind: 5, inputDiff: true }]] as const)
    let hasDetailedDiff = false
    const diff = (): DiffResponse =>
      DiffResponse.create({
        ...answer,
        replaces: ['a'],
        diffs: ['a'],
        detailedDiff,
        hasDetailedDiff,
      })
    const { provider } = await serve({ diff })
    const asked = { ...updating, allowUnknowns: false }
    expect((await provider.diff(asked)).detailedDiff).toBeNull()
    hasDetailedDiff = true
    expect((await provider.diff(asked)).detailedDiff).toEqual(
      new Map([['a', { kind: 'update-replace', inputDiff: true }]]),
    )
  })

  test('old values go as hashes, and a verdict that does not exist is an error', async () => {
    const diff = (): DiffResponse => DiffResponse.create({ changes: 9 as never })
    const { provider, calls } = await serve({ diff })
    const asset: PropertyValue = { kind: 'asset', hash: 'ab', source: { text: 't' } }
    const asked = { ...updating, newInputs: map({ asset }), allowUnknowns: false }
    expect((await failureOf(provider.diff(asked))).message).toContain('verdict 9')
    expect(calls[1]?.request).toMatchObject({
      news: { asset: { [sig]: signatures.asset, hash: 'ab' } },
    })
  })
})

describe('create and update', () => {
  const create = (request: { properties: Record<string, unknown> }): CreateResponse =>
    CreateResponse.create({ id: 'i', properties: { ...request.properties, extra: 1 } })

  test('a provider that takes secrets gets them wrapped and is trusted with marks', async () => {
    const configure = (): ConfigureResponse => ConfigureResponse.create({ acceptSecrets: true })
    const { provider, calls } = await serve({ configure, create })
    const made = await provider.create({ ...creating, inputs: map({ a: secret(1) }) })
    expect(calls[1]?.request).toMatchObject({ properties: { a: wrapped(1) } })
    expect(made).toEqual({
      id: 'i',
      outputs: map({ a: secret(1), extra: 1 }),
      refreshBeforeUpdate: false,
    })
  })

  test('one that does not gets them in clear, and they are marked again', async () => {
    const { provider, calls } = await serve({ create })
    const made = await provider.create({ ...creating, inputs: map({ a: secret(1) }) })
    expect(calls[1]?.request).toMatchObject({ properties: { a: 1 } })
    expect(made.outputs).toEqual(map({ a: secret(1), extra: 1 }))
  })

  test('a preview calls only providers that can preview', async () => {
    const plain = await serve({ create })
    const preview = { ...creating, preview: true }
    expect(await plain.provider.create(preview)).toMatchObject({ id: '', outputs: map({ a: 1 }) })
    expect(plain.calls).toHaveLength(1)
    const able = await serve({ create }, { greeted: all })
    expect((await able.provider.create(preview)).outputs).toEqual(map({ a: 1, extra: 1 }))
    expect(able.calls[1]?.request).toMatchObject({ preview: true })
  })

  test('a create without an id is unknown', async () => {
    const { provider } = await serve({ create: () => CreateResponse.create({}) })
    expect(await failureOf(provider.create(creating))).toMatchObject({ status: 'unknown' })
  })

  test('a partial create says what exists, marked; without an id it is unknown', async () => {
    let id = 'i'
    const { provider } = await serve({
      create: () => {
        throw initFailing({ id, properties: { a: 1 }, reasons: ['slow'], inputs: { a: 1 } })
      },
    })
    const asked = { ...creating, inputs: map({ a: secret(1) }) }
    expect(await failureOf(provider.create(asked))).toMatchObject({
      message: 'not ready',
      status: 'partial',
      partial: { id: 'i', outputs: map({ a: secret(1) }), inputs: map({ a: secret(1) }) },
    })
    id = ''
    expect(await failureOf(provider.create(asked))).toMatchObject({
      status: 'unknown',
      partial: undefined,
    })
  })

  test('an update replaces the old outputs whole', async () => {
    const { provider } = await serve({ update: () => UpdateResponse.create({}) })
    expect((await provider.update(updating)).outputs).toEqual(none)
  })

  test('a value that cannot be read names provider, method and property', async () => {
    const { provider } = await serve({
      create: () => CreateResponse.create({ id: 'i', properties: { a: { b: { [sig]: 'x' } } } }),
    })
    const failed = await failureOf(provider.create(creating))
    expect(failed.message).toMatch(/'scripted' answered Create with a malformed value: .*'a\.b'/)
    expect(failed.status).toBe('unknown')
  })

  test('an unknown outside of a preview is malformed', async () => {
    const properties = { a: '04da6b54-80e4-46f7-96ec-b56ff0331ba9' }
    const { provider } = await serve({ update: () => UpdateResponse.create({ properties }) })
    expect((await failureOf(provider.update(updating))).message).toContain("'a' is unknown")
  })

  test('bytes for a provider that cannot read them fail before the call', async () => {
    const { provider, calls } = await serve({ create })
    const inputs = map({ a: { kind: 'bytes', base64: '/w==' } })
    expect(await failureOf(provider.create({ ...creating, inputs }))).toMatchObject({
      status: 'ok',
    })
    expect(calls).toHaveLength(1)
  })
})

describe('read, delete and invoke', () => {
  test('absent and empty maps differ', async () => {
    let properties: Record<string, unknown> | undefined
    const { provider, calls } = await serve({
      read: () => ReadResponse.create({ id: 'i', properties }),
    })
    expect(await provider.read(reading)).toMatchObject({ outputs: undefined, inputs: undefined })
    properties = {}
    expect((await provider.read(reading)).outputs).toEqual(none)
    await provider.read({ ...reading, inputs: undefined, outputs: undefined })
    expect(calls[2]?.request).toMatchObject({ inputs: {}, properties: {} })
    expect(calls[3]?.request).toMatchObject({ inputs: undefined, properties: undefined })
  })

  test('assets that come back as hashes get the contents that were sent', async () => {
    const asset: PropertyValue = { kind: 'asset', hash: 'ab', source: { text: 't' } }
    const { provider } = await serve({
      read: (request: { inputs: Record<string, unknown> }) =>
        ReadResponse.create({ id: 'i', properties: request.inputs, inputs: request.inputs }),
    })
    const result = await provider.read({ ...reading, inputs: map({ asset }) })
    expect(result).toMatchObject({ inputs: map({ asset }), outputs: map({ asset }) })
  })

  test('a read that is not well is a result with reasons', async () => {
    const { provider } = await serve({
      read: () => {
        throw initFailing({ id: 'j', properties: { a: 1 }, reasons: ['sick'] })
      },
    })
    expect(await provider.read(reading)).toMatchObject({
      id: 'j',
      outputs: map({ a: 1 }),
      inputs: undefined,
      initErrors: ['sick'],
    })
  })

  test('a delete gives old inputs and outputs', async () => {
    const { provider, calls } = await serve({ delete: () => ({}) })
    await provider.delete({ ...subject, id: 'i', inputs: map({ a: 1 }), outputs: none, timeout: 5 })
    expect(calls[1]?.request).toMatchObject({ oldInputs: { a: 1 }, properties: {}, timeout: 5 })
  })

  test('one secret argument makes all results secret, where the provider keeps none', async () => {
    const invoke = (): InvokeResponse => InvokeResponse.create({ return: { a: 1, b: 2 } })
    const args = map({ x: [secret(1)] })
    const plain = await serve({ invoke })
    expect(await plain.provider.invoke({ token: 't', args, preview: false })).toEqual({
      outputs: map({ a: secret(1), b: secret(2) }),
      failures: [],
    })
    const able = await serve({ invoke }, { greeted: all })
    expect((await able.provider.invoke({ token: 't', args, preview: true })).outputs).toEqual(
      map({ a: 1, b: 2 }),
    )
    expect(able.calls[1]?.request).toMatchObject({ preview: true })
    expect(plain.calls[1]?.request).toMatchObject({ preview: false })
  })
})

describe('what a status says of the resource', () => {
  test.each([
    [status.UNKNOWN, 'unknown'],
    [status.INTERNAL, 'unknown'],
    [status.DATA_LOSS, 'unknown'],
    [status.INVALID_ARGUMENT, 'ok'],
    [status.UNAVAILABLE, 'ok'],
    [status.CANCELLED, 'ok'],
    [status.DEADLINE_EXCEEDED, 'ok'],
  ])('code %s of the provider: %s', async (code, expected) => {
    const { provider } = await serve({
      create: () => {
        throw failing(code, 'said so')
      },
    })
    const failed = await failureOf(provider.create(creating))
    expect(failed).toMatchObject({ status: expected, code, message: 'said so' })
  })

  test('a connection that breaks during a call is lost', async () => {
    const served = await serve({
      create: () => {
        served.breakOff()
        return new Promise(() => {})
      },
    })
    expect(await failureOf(served.provider.create(creating))).toMatchObject({ status: 'lost' })
  })

  test('a call that found nobody has not happened', async () => {
    const served = await serve({})
    served.breakOff()
    await failureOf(served.provider.create(creating))
    expect(await failureOf(served.provider.create(creating))).toMatchObject({ status: 'ok' })
  })

  test('details that cannot be read leave the status', async () => {
    const { provider } = await serve({
      create: () => {
        throw failing(status.UNKNOWN, 'said so', {
          type: 'pulumirpc.ErrorResourceInitFailed',
          value: new Uint8Array([10, 200]),
        })
      },
    })
    expect(await failureOf(provider.create(creating))).toMatchObject({
      status: 'unknown',
      message: 'said so',
    })
  })
})

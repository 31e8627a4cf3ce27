import { status } from '@grpc/grpc-js'
import { afterEach, describe, expect, test } from 'vitest'
import {
  CheckResponse,
  ConfigureErrorMissingKeys,
  DiffResponse,
} from '../../../proto/gen/pulumi/provider.ts'
import { type PropertyValue, unknown } from '../../values/value.ts'
import { signatureKey as sig, signatures } from '../../values/wire-options.ts'
import {
  closeServers,
  providerIdentity,
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
import { createFailure } from './scripted-server.fixture.ts'

afterEach(closeServers)

describe('configuration', () => {
  test('is sent as text variables, without the version, and as values, including the version', async () => {
    const inputs = createPropertyMap({
      version: '1.0.0',
      region: createSecretValue('x'),
      deep: createPropertyMap({ a: createSecretValue(true) }),
    })
    const { calls } = await serveProvider({}, { inputs })
    expect(calls[0]?.request).toMatchObject({
      variables: new Map([
        ['a:config:region', 'x'],
        ['a:config:deep', '{"a":true}'],
      ]),
      args: {
        version: '1.0.0',
        region: createWireSecret('x'),
        deep: { a: createWireSecret(true) },
      },
      acceptSecrets: true,
      id: 'id',
      type: 'pulumi:providers:a',
    })
  })

  test('is skipped when an input is unknown, and calls are then answered locally', async () => {
    const { provider, calls } = await serveProvider(
      {},
      { inputs: createPropertyMap({ region: createSecretValue(unknown) }) },
    )
    expect(provider.isUnconfigured()).toBe(true)
    const check = {
      ...resourceIdentity,
      oldInputs: undefined,
      newInputs: createPropertyMap({ a: 1 }),
      allowUnknowns: true,
    }
    expect(await provider.check({ ...check, randomSeed: new Uint8Array(32) })).toEqual({
      inputs: createPropertyMap({ a: 1 }),
      failures: [],
    })
    expect(await provider.diff({ ...updateArguments, allowUnknowns: true })).toMatchObject({
      changes: 'some',
    })
    expect((await provider.create({ ...createArguments, preview: true })).outputs).toEqual(
      noProperties,
    )
    expect((await provider.update({ ...updateArguments, preview: true })).outputs).toEqual(
      noProperties,
    )
    expect(await provider.read(readArguments)).toMatchObject({
      id: '',
      outputs: noProperties,
      inputs: noProperties,
    })
    expect(
      (await provider.invoke({ token: 't', args: noProperties, preview: true })).outputs,
    ).toEqual(noProperties)
    await expect(provider.create(createArguments)).rejects.toThrow('is not configured')
    expect(calls).toEqual([])
  })

  test('without required keys fails with an error that names them, as does every later call', async () => {
    const missing = ConfigureErrorMissingKeys.create({
      missingKeys: [{ name: 'a:token', description: 'the token' }],
    })
    const detail = {
      type: 'pulumirpc.ConfigureErrorMissingKeys',
      value: ConfigureErrorMissingKeys.encode(missing).finish(),
    }
    const configure = (): never => {
      throw createFailure(status.INVALID_ARGUMENT, 'bad', detail)
    }
    const served = await serveProvider({ configure }, { inputs: null })
    const first = await catchProviderError(
      served.provider.configure({ ...providerIdentity, inputs: noProperties }),
    )
    expect(first.message).toContain("missing required configuration key 'a:token': the token")
    expect(first.status).toBe('ok')
    expect(await catchProviderError(served.provider.create(createArguments))).toBe(first)
  })

  test('is accepted unchanged by a provider without CheckConfig, and without DiffConfig its changes are unknown', async () => {
    const { provider } = await serveProvider({})
    const input = {
      ...providerIdentity,
      oldInputs: undefined,
      newInputs: createPropertyMap({ a: 1 }),
      allowUnknowns: true,
    }
    expect(await provider.checkConfig(input)).toEqual({
      inputs: createPropertyMap({ a: 1 }),
      failures: [],
    })
    expect(await provider.diffConfig({ ...updateArguments, ...providerIdentity })).toMatchObject({
      changes: 'unknown',
      detailedDiff: null,
    })
  })

  test('is checked as plaintext, and its secrets are marked again', async () => {
    const checkConfig = (request: { news: Record<string, unknown> }): CheckResponse =>
      CheckResponse.create({ inputs: request.news })
    const { provider, calls } = await serveProvider({ checkConfig })
    const newInputs = createPropertyMap({
      a: createSecretValue('s'),
      b: [createSecretValue(1)],
      c: createPropertyMap({ d: createSecretValue(unknown) }),
    })
    const input = { ...providerIdentity, oldInputs: undefined, newInputs, allowUnknowns: true }
    const { inputs } = await provider.checkConfig(input)
    expect(calls[1]?.request).toMatchObject({ olds: {}, news: { a: 's', b: [1] } })
    expect(inputs).toEqual(
      createPropertyMap({
        a: createSecretValue('s'),
        b: createSecretValue([1]),
        c: createPropertyMap({ d: createSecretValue(unknown) }),
      }),
    )
  })
})

describe('check and diff', () => {
  test('missing old inputs are sent as an empty map, and a provider without secret support gets plaintext', async () => {
    const check = (request: { news: Record<string, unknown> }): CheckResponse =>
      CheckResponse.create({
        inputs: { ...request.news, extra: createWireSecret(2) },
        failures: [{ property: 'a', reason: 'no' }],
      })
    const { provider, calls } = await serveProvider({ check })
    const result = await provider.check({
      ...resourceIdentity,
      oldInputs: undefined,
      newInputs: createPropertyMap({ a: createSecretValue(1), u: unknown }),
      allowUnknowns: false,
      randomSeed: new Uint8Array([7]),
    })
    expect(calls[1]?.request).toMatchObject({ olds: {}, news: { a: 1 } })
    expect(result.inputs).toEqual(
      createPropertyMap({ a: createSecretValue(1), extra: createSecretValue(2) }),
    )
    expect(result.failures).toEqual([{ property: 'a', reason: 'no' }])
  })

  test('a detailed diff counts only when the provider announces it', async () => {
    const detailedDiff = new Map([['a', { kind: 5, inputDiff: true }]] as const)
    let hasDetailedDiff = false
    const diff = (): DiffResponse =>
      DiffResponse.create({
        changes: 2,
        replaces: ['a'],
        diffs: ['a'],
        detailedDiff,
        hasDetailedDiff,
      })
    const { provider } = await serveProvider({ diff })
    const input = { ...updateArguments, allowUnknowns: false }
    expect((await provider.diff(input)).detailedDiff).toBeNull()
    hasDetailedDiff = true
    expect((await provider.diff(input)).detailedDiff).toEqual(
      new Map([['a', { kind: 'update-replace', inputDiff: true }]]),
    )
  })

  test('assets are sent to Diff as hashes, and an invalid change kind is an error', async () => {
    const diff = (): DiffResponse => DiffResponse.create({ changes: 9 as never })
    const { provider, calls } = await serveProvider({ diff })
    const asset: PropertyValue = { kind: 'asset', hash: 'ab', source: { text: 't' } }
    const input = {
      ...updateArguments,
      newInputs: createPropertyMap({ asset }),
      allowUnknowns: false,
    }
    expect((await catchProviderError(provider.diff(input))).message).toContain('change kind 9')
    expect(calls[1]?.request).toMatchObject({
      news: { asset: { [sig]: signatures.asset, hash: 'ab' } },
    })
  })
})

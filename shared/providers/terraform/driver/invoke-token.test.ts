import { describe, expect, test } from 'vitest'
import { unknown } from '../../../values/value.ts'
import type { ActionEvent, TerraformClient } from '../client/terraform-client.ts'
import { createErrorDiagnostic } from './scripted-client.fixture.ts'
import { createScriptedProvider, inputsOf } from './scripted-provider.fixture.ts'
import { identityCodec, lookupCodec } from './scripted-schemas.fixture.ts'

type Script = (base: TerraformClient) => Partial<TerraformClient>

describe('a function', () => {
  const answerFunction: Script = () => ({
    callFunction: async () => ({
      result: { msgpack: Uint8Array.of(0xa1, 0x78) },
      error: undefined,
    }),
  })

  test('with an unknown argument is not called, and its result is unknown', async () => {
    const { invoke, takeCalls } = await createScriptedProvider(answerFunction)
    const { outputs } = await invoke('join', inputsOf({ left: 'a', right: unknown }), {
      preview: true,
    })
    expect(outputs).toEqual(inputsOf({ result: unknown }))
    expect(takeCalls()).toEqual([])
  })

  test('with null for an argument that does not allow it is not called', async () => {
    const { invoke, takeCalls } = await createScriptedProvider(answerFunction)
    const { failures } = await invoke('join', inputsOf({ left: 'a' }))
    expect(failures).toEqual([{ property: 'right', reason: 'a value is required' }])
    expect(takeCalls()).toEqual([])
  })

  test('that refuses an argument names it', async () => {
    const { invoke } = await createScriptedProvider(() => ({
      callFunction: async () => ({
        result: undefined,
        error: { text: 'too long', argumentIndex: 1 },
      }),
    }))
    const { failures } = await invoke('join', inputsOf({ left: 'a', right: 'b' }))
    expect(failures).toEqual([{ property: 'right', reason: 'too long' }])
  })

  test('of an unconfigured provider is called, because it needs no configuration', async () => {
    const { invoke } = await createScriptedProvider(answerFunction, {
      config: inputsOf({ endpoint: unknown }),
    })
    const { outputs } = await invoke('join', inputsOf({ left: 'a', right: 'b' }))
    expect(outputs.get('result')).toBe('x')
  })
})

describe('a data source', () => {
  const args = inputsOf({ label: 'a' })

  test('is validated and read', async () => {
    const { invoke, takeCalls } = await createScriptedProvider()
    const { outputs } = await invoke('getLookup', args)
    expect(outputs).toEqual(inputsOf({ label: 'a', value: 'found' }))
    expect(takeCalls()).toEqual(['validateDataResourceConfig', 'readDataSource'])
  })

  test('is not read before its provider is configured', async () => {
    const { invoke, takeCalls } = await createScriptedProvider(() => ({}), {
      config: inputsOf({ endpoint: unknown }),
    })
    expect((await invoke('getLookup', args, { preview: true })).outputs.size).toBe(0)
    expect(takeCalls()).toEqual([])
  })

  test('with an unknown argument is validated and not read, and its result is unknown', async () => {
    const { invoke, takeCalls } = await createScriptedProvider()
    const unknownLabel = inputsOf({ label: unknown })
    const { outputs, failures } = await invoke('getLookup', unknownLabel, { preview: true })
    expect([outputs, failures]).toEqual([inputsOf({ label: unknown, value: unknown }), []])
    expect(takeCalls()).toEqual(['validateDataResourceConfig'])
  })

  test('that is invalid is not read', async () => {
    const { invoke, takeCalls } = await createScriptedProvider(() => ({
      validateDataResourceConfig: async () => ({
        diagnostics: [
          {
            ...createErrorDiagnostic('Too short'),
            path: [{ kind: 'attribute' as const, name: 'label' }],
          },
        ],
      }),
    }))
    const { failures } = await invoke('getLookup', args)
    expect(failures).toEqual([{ property: 'label', reason: 'Too short' }])
    expect(takeCalls()).toEqual(['validateDataResourceConfig'])
  })

  test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
    ['null', { state: undefined }, /the result is null/],
    ['an unknown value', { state: lookupCodec.encode({ label: '?' }) }, /has unknown values/],
    ['another type', { state: { msgpack: Uint8Array.of(0xa1, 0x78) } }, /This is a bug/],
    ['a deferral', { deferralReason: 'absentPrerequisite' }, /deferred the data source/],
    ['an error', { diagnostics: [createErrorDiagnostic('No access')] }, /cannot read[^]*No access/],
  ])('that returns %s is refused', async (_name, change, message) => {
    const { invoke } = await createScriptedProvider(base => ({
      readDataSource: async request => ({ ...(await base.readDataSource(request)), ...change }),
    }))
    await expect(invoke('getLookup', args)).rejects.toThrow(message)
  })
})

describe('a list', () => {
  test('has the name and the identity of each object', async () => {
    const { invoke, requestOf } = await createScriptedProvider()
    const { outputs } = await invoke('listThing', inputsOf({ config: inputsOf({ prefix: 'p' }) }))
    const resultOf = (label: string) =>
      inputsOf({ displayName: `thing ${label}`, identity: inputsOf({ label, region: null }) })
    expect(outputs).toEqual(inputsOf({ results: [resultOf('a'), resultOf('b')] }))
    expect(requestOf('listResource')).toMatchObject({ limit: 0, includeResourceObject: false })
  })

  test('has the objects on request, up to a limit', async () => {
    const { invoke } = await createScriptedProvider()
    const { outputs } = await invoke('listThing', inputsOf({ includeResource: true, limit: 1 }))
    const [result, ...others] = outputs.get('results') as readonly Map<string, unknown>[]
    expect(others).toEqual([])
    expect(result?.get('resource')).toEqual(inputsOf({ id: 'a', label: 'a', rules: [] }))
  })

  test('with an unknown argument is not called, and its results are unknown', async () => {
    const { invoke, takeCalls } = await createScriptedProvider()
    const { outputs } = await invoke('listThing', inputsOf({ config: unknown }), { preview: true })
    expect(outputs).toEqual(inputsOf({ results: unknown }))
    expect(takeCalls()).toEqual([])
  })

  test('refuses arguments that it does not have, and invalid ones', async () => {
    const { invoke } = await createScriptedProvider()
    const args = inputsOf({ config: 'c', limit: -1, includeResource: 'yes', prefix: 'p' })
    const { failures } = await invoke('listThing', args)
    expect(failures.map(({ property }) => property)).toEqual([
      'config',
      'limit',
      'includeResource',
      'prefix',
    ])
  })

  test('names an invalid part of its configuration', async () => {
    const { invoke } = await createScriptedProvider()
    const args = inputsOf({ config: inputsOf({ prefix: ['p'] }) })
    const { failures } = await invoke('listThing', args)
    expect(failures).toMatchObject([{ property: 'config.prefix' }])
  })

  test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
    ['an error', { diagnostics: [createErrorDiagnostic('No access')] }, /cannot list[^]*No access/],
    ['no identity', { identity: undefined }, /an object has no known identity/],
    [
      'an unknown identity',
      { identity: identityCodec.encode({ label: '?' }) },
      /no known identity/,
    ],
  ])('of an object with %s is refused', async (_name, change, message) => {
    const { invoke } = await createScriptedProvider(base => ({
      async *listResource(request) {
        for await (const event of base.listResource(request)) yield { ...event, ...change }
      },
    }))
    await expect(invoke('listThing', inputsOf({ includeResource: true }))).rejects.toThrow(message)
  })
})

describe('an action', () => {
  const args = inputsOf({ label: 'a' })
  const endWith =
    (...events: readonly ActionEvent[]): Script =>
    () => ({
      async *invokeAction() {
        yield* events
      },
    })

  test('is validated, planned and run, and shows its progress', async () => {
    const { invoke, takeCalls, messages } = await createScriptedProvider()
    expect(await invoke('runPoke', args)).toEqual({ outputs: new Map(), failures: [] })
    expect(takeCalls()).toEqual(['validateActionConfig', 'planAction', 'invokeAction'])
    expect(messages).toEqual(['x:index/runPoke:runPoke: half done'])
  })

  test('is only planned in a preview, and not at all with unknown arguments', async () => {
    const { invoke, takeCalls } = await createScriptedProvider()
    await invoke('runPoke', args, { preview: true })
    expect(takeCalls()).toEqual(['validateActionConfig', 'planAction'])
    await invoke('runPoke', inputsOf({ label: unknown }), { preview: true })
    expect(takeCalls()).toEqual(['validateActionConfig'])
  })

  test('with an invalid argument is not planned', async () => {
    const { invoke, takeCalls } = await createScriptedProvider()
    const { failures } = await invoke('runPoke', new Map())
    expect(failures).toMatchObject([{ property: 'label' }])
    expect(takeCalls()).toEqual(['validateActionConfig'])
  })

  test.each<[string, Script, RegExp]>([
    [
      'an error',
      endWith({ kind: 'completed', diagnostics: [createErrorDiagnostic('No power')] }),
      /cannot run the action[^]*No power/,
    ],
    ['no completion', endWith({ kind: 'progress', message: 'm' }), /ended before its completion/],
    [
      'a deferral',
      () => ({ planAction: async () => ({ diagnostics: [], deferralReason: 'unknown' as const }) }),
      /deferred the action/,
    ],
  ])('that ends with %s fails', async (_name, script, message) => {
    const { invoke } = await createScriptedProvider(script)
    await expect(invoke('runPoke', args)).rejects.toThrow(message)
  })
})

import { describe, expect, test } from 'vitest'
import type { PlainValue } from '../plan/objects.fixture.ts'
import type { PlanResponse, TerraformClient } from '../client/terraform-client.ts'
import type { PropertyMap } from '../../../values/value.ts'
import { createErrorDiagnostic } from './scripted-client.fixture.ts'
import {
  createScriptedProvider,
  inputsOf,
  type ScriptOptions,
} from './scripted-provider.fixture.ts'
import { identityCodec, thingCodec } from './scripted-schemas.fixture.ts'

type Script = (base: TerraformClient) => Partial<TerraformClient>

/** Changes the responses to plans. */
const changePlanResponses =
  (change: (response: PlanResponse, planned: object) => Partial<PlanResponse>): Script =>
  base => ({
    async planResourceChange(request) {
      const response = await base.planResourceChange(request)
      const planned = thingCodec.decode(response.plannedState)
      return { ...response, ...change(response, planned as object) }
    },
  })

/** Returns the plan with changed values. As in each `PlainValue`, the text `?` is an unknown value. */
const planValue = (planned: object, change: Readonly<Record<string, PlainValue>>) => ({
  plannedState: thingCodec.encode({ ...planned, ...change }),
})

/** Creates an object with a provider without a script, and a second provider with one. */
async function createWithTwoProviders(
  inputs: PropertyMap,
  script: Script = () => ({}),
  options: ScriptOptions = {},
) {
  const unscripted = await createScriptedProvider()
  const { outputs } = await unscripted.create(inputs)
  return { outputs, ...(await createScriptedProvider(script, options)) }
}

const inputs = inputsOf({ label: 'a', value: 'v', zone: 'z1' })

describe('a plan', () => {
  test.each<[string, Script, RegExp]>([
    [
      'with another value than the configuration',
      changePlanResponses((_, planned) => planValue(planned, { value: 'other' })),
      /planned an invalid change[^]*at 'value'/,
    ],
    [
      'with a value for an attribute that is not computed',
      changePlanResponses((_, planned) => planValue(planned, { key: 'made up' })),
      /planned an invalid change[^]*at 'key'/,
    ],
    [
      'with a write-only value',
      changePlanResponses((_, planned) => planValue(planned, { pass: 'p' })),
      /a write-only attribute has a planned value at 'pass'/,
    ],
    [
      'of another type',
      changePlanResponses(() => ({ plannedState: { msgpack: Uint8Array.of(0xa1, 0x78) } })),
      /planned an invalid change/,
    ],
    [
      'of no object',
      changePlanResponses(() => ({ plannedState: thingCodec.encode(null) })),
      /planned an invalid change/,
    ],
    [
      'with an error',
      changePlanResponses(() => ({ diagnostics: [createErrorDiagnostic('No quota')] })),
      /cannot plan the change of[^]*No quota/,
    ],
    [
      'that is deferred',
      changePlanResponses(() => ({ deferralReason: 'absentPrerequisite' as const })),
      /deferred the change of[^]*This is a bug of the provider/,
    ],
  ])('%s is refused before any change', async (_name, script, message) => {
    const { create, takeCalls } = await createScriptedProvider(script)
    await expect(create(inputs)).rejects.toThrow(message)
    expect(takeCalls()).toEqual(['planResourceChange'])
  })

  test('of the legacy type system may contradict the configuration', async () => {
    const script = changePlanResponses((_, planned) => ({
      ...planValue(planned, { value: 'other' }),
      isLegacyTypeSystem: true,
    }))
    const { create } = await createScriptedProvider(script)
    expect((await create(inputs, { preview: true })).outputs.get('value')).toBe('other')
  })

  test('of the legacy type system must not have write-only values', async () => {
    const leak = changePlanResponses((_, planned) => ({
      ...planValue(planned, { pass: 'p' }),
      isLegacyTypeSystem: true,
    }))
    const { create } = await createScriptedProvider(leak)
    await expect(create(inputs)).rejects.toThrow('a write-only attribute has a planned value')
  })
})

describe('a difference', () => {
  test('does not exist if the plan is the prior object, although the configuration differs', async () => {
    const { outputs, diff } = await createWithTwoProviders(
      inputs,
      changePlanResponses((_, planned) => planValue(planned, { value: 'v' })),
    )
    expect(await diff(outputs, inputsOf({ label: 'a', value: 'V', zone: 'z1' }))).toMatchObject({
      changes: 'none',
      stableKeys: ['id'],
    })
  })

  test('requires no replacement at a path that does not change', async () => {
    const { outputs, diff } = await createWithTwoProviders(
      inputs,
      changePlanResponses(() => ({ requiresReplace: [[{ kind: 'attribute', name: 'zone' }]] })),
    )
    const changed = inputsOf({ label: 'a', value: 'w', zone: 'z1' })
    expect(await diff(outputs, changed)).toMatchObject({ changes: 'some', replaceKeys: [] })
    expect(await diff(outputs, inputs)).toMatchObject({ changes: 'none' })
  })

  test('requires a replacement at a path with an unknown new value', async () => {
    const script = changePlanResponses((_, planned) => ({
      ...planValue(planned, { note: '?' }),
      requiresReplace: [[{ kind: 'attribute', name: 'note' }]],
    }))
    const { outputs, diff } = await createWithTwoProviders(inputs, script)
    const changed = inputsOf({ label: 'a', value: 'w', zone: 'z1' })
    expect(await diff(outputs, changed)).toMatchObject({ replaceKeys: ['note'] })
  })

  test('requires a replacement for a write-only path without a visible change', async () => {
    const script = changePlanResponses(() => ({
      requiresReplace: [[{ kind: 'attribute', name: 'pass' }]],
    }))
    const { outputs, diff } = await createWithTwoProviders(inputs, script)
    expect(await diff(outputs, inputs)).toMatchObject({ changes: 'some', replaceKeys: ['pass'] })
  })

  test('with a path of replacement that no object has is a bug of the provider', async () => {
    const script = changePlanResponses(() => ({
      requiresReplace: [[{ kind: 'attribute', name: 'nowhere' }]],
    }))
    const { outputs, diff } = await createWithTwoProviders(inputs, script)
    await expect(diff(outputs, inputs)).rejects.toThrow('This is a bug of the provider')
  })

  test('of a tainted object is a replacement, planned without the object and its private data', async () => {
    const failing = await createScriptedProvider(base => ({
      applyResourceChange: async request => ({
        ...(await base.applyResourceChange(request)),
        diagnostics: [createErrorDiagnostic('No health')],
      }),
    }))
    const thrown = (await failing.create(inputs).catch((failure: unknown) => failure)) as {
      readonly partialResource: { readonly outputs: PropertyMap }
    }
    const { diff, requestOf } = await createScriptedProvider()
    expect(await diff(thrown.partialResource.outputs, inputs)).toMatchObject({
      changes: 'some',
      replaceKeys: ['__meta'],
      stableKeys: [],
    })
    const plan = requestOf('planResourceChange')
    expect(thingCodec.decode(plan['priorState'])).toBeNull()
    expect(plan['priorPrivate']).toHaveLength(0)
    expect(plan['priorIdentity']).toBeUndefined()
  })

  test('that the program ignores is not in the plan', async () => {
    const { outputs, diff, requestOf } = await createWithTwoProviders(inputs)
    await diff(outputs, inputsOf({ label: 'a', value: 'w', zone: 'z2' }), ['value'])
    expect(thingCodec.decode(requestOf('planResourceChange')['config'])).toMatchObject({
      value: 'v',
      zone: 'z2',
    })
  })

  test('that the program ignores is in the plan of a replacement', async () => {
    const { outputs, diff, create, requestOf } = await createWithTwoProviders(inputs)
    const changed = inputsOf({ label: 'a', value: 'w', zone: 'z2' })
    await diff(outputs, changed, ['value'])
    await create(changed)
    const plan = requestOf('planResourceChange')
    expect(thingCodec.decode(plan['priorState'])).toBeNull()
    expect(thingCodec.decode(plan['config'])).toMatchObject({ value: 'w', zone: 'z2' })
    expect(plan['priorPrivate']).toHaveLength(0)
  })

  test('is planned with the identity and the private data of the object', async () => {
    const { outputs, diff, requestOf } = await createWithTwoProviders(inputs)
    await diff(outputs, inputs)
    const plan = requestOf('planResourceChange')
    expect(new TextDecoder().decode(plan['priorPrivate'] as unknown as Uint8Array)).toBe('pa')
    expect(identityCodec.decode(plan['priorIdentity'])).toEqual({ label: 'a' })
  })
})

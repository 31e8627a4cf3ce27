import { describe, expect, test } from 'vitest'
import { type PropertyMap, secretOf } from '../../../values/value.ts'
import { ProviderError } from '../../provider-error.ts'
import type { ApplyResponse, TerraformClient } from '../client/terraform-client.ts'
import { stringType } from '../values/type-system.ts'
import { unknownOf } from '../values/unknown-value.ts'
import { encodeMsgpack } from '../values/encode-msgpack.ts'
import { readStoredObject } from '../mapping/stored-object.ts'
import { createErrorDiagnostic } from './scripted-client.fixture.ts'
import { createScriptedProvider, inputsOf } from './scripted-provider.fixture.ts'
import { identityCodec, thingCodec } from './scripted-schemas.fixture.ts'

type Script = (base: TerraformClient) => Partial<TerraformClient>

/** Changes the responses to applies. */
const changeApplyResponses =
  (change: (response: ApplyResponse, state: object) => Partial<ApplyResponse>): Script =>
  base => ({
    async applyResourceChange(request) {
      const response = await base.applyResourceChange(request)
      const state = thingCodec.decode(response.newState)
      return { ...response, ...change(response, (state ?? {}) as object) }
    },
  })

const failWith = (summary: string): Script =>
  changeApplyResponses(() => ({ diagnostics: [createErrorDiagnostic(summary)] }))

const failWithoutObject = (summary: string): Script =>
  changeApplyResponses(() => ({
    diagnostics: [createErrorDiagnostic(summary)],
    newState: undefined,
  }))

const inputs = inputsOf({ label: 'a', value: 'v' })
const changedInputs = inputsOf({ label: 'a', value: 'w' })

async function failureOf(call: Promise<unknown>): Promise<ProviderError> {
  const thrown = await call.catch((failure: unknown) => failure)
  if (thrown instanceof ProviderError) return thrown
  throw new Error(`expected a ProviderError, not ${String(thrown)}`)
}

function partialOutputsOf(failure: ProviderError): PropertyMap {
  const outputs = failure.partialResource?.outputs
  if (outputs === undefined) throw new Error('the failure left no object')
  return outputs
}

const stateOf = (outputs: PropertyMap): unknown =>
  JSON.parse(readStoredObject(outputs)?.stateJson ?? 'null')

const privateTextOf = (outputs: PropertyMap): string =>
  new TextDecoder().decode(readStoredObject(outputs)?.privateData)

describe('a create', () => {
  test('with an error and an object records the object as tainted', async () => {
    const { create } = await createScriptedProvider(failWith('No health'))
    const failure = await failureOf(create(inputs))
    expect(failure).toMatchObject({ status: 'partial', message: 'No health' })
    expect(failure.partialResource).toMatchObject({ id: 'id-a', reasons: ['No health'] })
    expect(readStoredObject(partialOutputsOf(failure))?.isTainted).toBe(true)
  })

  test('with an error and an object cannot be completed by an update', async () => {
    const { create, update } = await createScriptedProvider(failWith('No health'))
    const outputs = partialOutputsOf(await failureOf(create(inputs)))
    const failure = await update(outputs, inputs).catch((thrown: unknown) => thrown)
    expect(failure).not.toBeInstanceOf(ProviderError)
    expect(String(failure)).toContain('the next deployment replaces it')
  })

  test('with an error and no object records nothing', async () => {
    const { create } = await createScriptedProvider(failWithoutObject('No quota'))
    const failure = await failureOf(create(inputs))
    expect(failure).toMatchObject({ status: 'ok', message: 'No quota' })
    expect(failure.partialResource).toBeUndefined()
  })

  test('with an unknown value left is an error, and the other values are recorded', async () => {
    const { create } = await createScriptedProvider(
      changeApplyResponses((_, state) => ({
        newState: thingCodec.encode({ ...state, note: '?' }),
      })),
    )
    const failure = await failureOf(create(inputs))
    expect(failure.message).toContain("a value is still unknown at 'note'")
    expect(stateOf(partialOutputsOf(failure))).toMatchObject({ id: 'id-a', value: 'v', note: null })
  })

  test('with another value than planned is an error, and the object is recorded', async () => {
    const { create } = await createScriptedProvider(
      changeApplyResponses((_, state) => ({
        newState: thingCodec.encode({ ...state, value: 'other' }),
      })),
    )
    const failure = await failureOf(create(inputs))
    expect(failure.message).toContain("the value has changed at 'value'")
    expect(stateOf(partialOutputsOf(failure))).toMatchObject({ value: 'other' })
  })

  test('with another value than planned is no error for the legacy type system', async () => {
    const { create } = await createScriptedProvider(
      changeApplyResponses((_, state) => ({
        newState: thingCodec.encode({ ...state, value: 'other' }),
        isLegacyTypeSystem: true,
      })),
    )
    expect((await create(inputs)).outputs.get('value')).toBe('other')
  })

  test.each<[string, (state: object) => Partial<ApplyResponse>, RegExp]>([
    [
      'an unknown value',
      state => ({ newState: thingCodec.encode({ ...state, note: '?' }) }),
      /unknown/,
    ],
    ['no object', () => ({ newState: undefined }), /the object does not exist/],
    [
      'a write-only value',
      state => ({ newState: thingCodec.encode({ ...state, pass: 'p' }) }),
      /a write-only attribute has a value at 'pass'/,
    ],
    [
      'another type',
      () => ({ newState: { msgpack: Uint8Array.of(0xa1, 0x78) } }),
      /returned an invalid object/,
    ],
  ])('with %s is an error for the legacy type system, too', async (_name, change, message) => {
    const { create } = await createScriptedProvider(
      changeApplyResponses((_, state) => ({ ...change(state), isLegacyTypeSystem: true })),
    )
    await expect(create(inputs)).rejects.toThrow(message)
  })

  test('that returns a write-only value is an error, and the value is not recorded', async () => {
    const { create } = await createScriptedProvider(
      changeApplyResponses((_, state) => ({
        newState: thingCodec.encode({ ...state, pass: 'hunter2' }),
      })),
    )
    const failure = await failureOf(create(inputsOf({ label: 'a', pass: secretOf('hunter2') })))
    expect(failure.message).toContain("a write-only attribute has a value at 'pass'")
    expect(stateOf(partialOutputsOf(failure))).toMatchObject({ id: 'id-a', pass: null })
    expect(failure.message).not.toContain('hunter2')
  })

  test('with a value outside of the planned refinements is an error', async () => {
    const { create } = await createScriptedProvider(base => ({
      async planResourceChange(request) {
        const response = await base.planResourceChange(request)
        const refined = encodeMsgpack(
          unknownOf(stringType, { isNotNull: true, prefix: 'arn:' }),
          stringType,
        )
        return { ...response, plannedState: replaceUnknownNote(response.plannedState, refined) }
      },
    }))
    const failure = await failureOf(create(inputs))
    expect(failure.message).toContain('outside of the range that was planned')
  })

  test('sends the private data of the plan, and records those of the response', async () => {
    const { create, requestOf } = await createScriptedProvider()
    const { outputs } = await create(inputs)
    const apply = requestOf('applyResourceChange')
    expect(new TextDecoder().decode(apply['plannedPrivate'] as unknown as Uint8Array)).toBe('p')
    expect(privateTextOf(outputs)).toBe('pa')
  })
})

/** Replaces the unknown attribute `note` in the bytes of an object. */
function replaceUnknownNote(
  state: ApplyResponse['newState'],
  refined: Uint8Array,
): { readonly msgpack: Uint8Array } {
  if (state === undefined || !('msgpack' in state)) throw new Error('no MessagePack')
  const key = Buffer.from('\xa4note', 'latin1')
  const message = Buffer.from(state.msgpack)
  const end = message.indexOf(key) + key.length
  const unrefinedLength = 3
  return {
    msgpack: Buffer.concat([
      message.subarray(0, end),
      refined,
      message.subarray(end + unrefinedLength),
    ]),
  }
}

describe('an update', () => {
  /** Creates an object with a provider without a script, and a second provider with one. */
  async function createWithTwoProviders(script: Script = () => ({})) {
    const unscripted = await createScriptedProvider()
    const { outputs } = await unscripted.create(inputs)
    return { outputs, ...(await createScriptedProvider(script)) }
  }

  test('with an error and an object records the object, which is not tainted', async () => {
    const { outputs, update } = await createWithTwoProviders(failWith('Half done'))
    const failure = await failureOf(update(outputs, changedInputs))
    expect(failure).toMatchObject({ status: 'partial', message: 'Half done' })
    expect(stateOf(partialOutputsOf(failure))).toMatchObject({ value: 'w' })
    expect(readStoredObject(partialOutputsOf(failure))?.isTainted).toBe(false)
  })

  test('with an error and no object keeps the prior object', async () => {
    const { outputs, update } = await createWithTwoProviders(failWithoutObject('No quota'))
    const failure = await failureOf(update(outputs, changedInputs))
    expect(failure).toMatchObject({ status: 'ok', message: 'No quota' })
    expect(failure.partialResource).toBeUndefined()
  })

  test('during which the provider crashes keeps the prior object', async () => {
    const { outputs, update } = await createWithTwoProviders(() => ({
      applyResourceChange: () => Promise.reject(createConnectionLossError()),
    }))
    const failure = await failureOf(update(outputs, changedInputs))
    expect(failure).toMatchObject({ status: 'unknown' })
    expect(failure.partialResource).toBeUndefined()
  })

  test('that changes the identity causes a warning', async () => {
    const { outputs, update, warnings } = await createWithTwoProviders(
      changeApplyResponses(() => ({ newIdentity: identityCodec.encode({ label: 'b' }) })),
    )
    await update(outputs, changedInputs)
    expect(warnings).toEqual([
      "urn:pulumi:dev::p::x:index/thing:Thing::a: provider 'x' changed the identity of the " +
        'object. This is a bug of the provider',
    ])
  })

  test('that keeps the identity causes no warning', async () => {
    const { outputs, update, warnings, requestOf } = await createWithTwoProviders()
    await update(outputs, changedInputs)
    expect(warnings).toEqual([])
    const apply = requestOf('applyResourceChange')
    expect(identityCodec.decode(apply['plannedIdentity'])).toEqual({ label: 'a' })
  })

  test('that only makes a value secret applies nothing, and records the secret', async () => {
    const { outputs, update, diff, takeCalls } = await createWithTwoProviders()
    const newInputs = inputsOf({ label: 'a', value: secretOf('v') })
    expect(await diff(outputs, newInputs)).toMatchObject({
      changes: 'some',
      changedKeys: ['value'],
    })
    const updated = await update(outputs, newInputs)
    expect(updated.outputs.get('value')).toEqual(secretOf('v'))
    expect(takeCalls()).not.toContain('applyResourceChange')
  })
})

const createConnectionLossError = (): ProviderError =>
  new ProviderError('the provider ended', { status: 'lost', code: 14, isRequestUnsent: false })

describe('a delete', () => {
  /** Creates an object with a provider without a script, and a second provider with one. */
  async function createWithTwoProviders(script: Script = () => ({})) {
    const unscripted = await createScriptedProvider()
    const { outputs } = await unscripted.create(inputs)
    return { outputs, ...(await createScriptedProvider(script)) }
  }

  test('upgrades, plans and applies, and the private data pass through the plan', async () => {
    const { outputs, remove, takeCalls, requestOf } = await createWithTwoProviders()
    await remove(outputs)
    expect(takeCalls()).toEqual([
      'upgradeResourceState',
      'planResourceChange',
      'applyResourceChange',
    ])
    const apply = requestOf('applyResourceChange')
    expect(new TextDecoder().decode(apply['plannedPrivate'] as unknown as Uint8Array)).toBe('pap')
    expect(thingCodec.decode(apply['plannedState'])).toBeNull()
    expect(thingCodec.decode(apply['priorState'])).toMatchObject({ value: 'v' })
  })

  test('without the capability plan_destroy has the private data of the object', async () => {
    const { outputs, remove, takeCalls, requestOf } = await createWithTwoProviders(base => ({
      async getProviderSchema() {
        const schema = await base.getProviderSchema()
        return { ...schema, capabilities: { ...schema.capabilities, planDestroy: false } }
      },
    }))
    await remove(outputs)
    expect(takeCalls()).toEqual(['upgradeResourceState', 'applyResourceChange'])
    const { plannedPrivate, plannedIdentity } = requestOf('applyResourceChange')
    const privateText = new TextDecoder().decode(plannedPrivate as unknown as Uint8Array)
    expect([privateText, plannedIdentity]).toEqual(['pa', undefined])
  })

  test('whose plan is an object is refused before any change', async () => {
    const { outputs, remove, takeCalls } = await createWithTwoProviders(base => ({
      planResourceChange: async request => ({
        ...(await base.planResourceChange(request)),
        plannedState: request.priorState,
      }),
    }))
    await expect(remove(outputs)).rejects.toThrow('the planned state is not null')
    expect(takeCalls()).not.toContain('applyResourceChange')
  })

  test('that returns an object is an error, and the object is kept', async () => {
    const { outputs, remove } = await createWithTwoProviders(
      changeApplyResponses(() => ({ newState: thingCodec.encode({ id: 'id-a', label: 'a' }) })),
    )
    const failure = await failureOf(remove(outputs))
    expect(failure.message).toContain('the object still exists after its deletion')
    expect(stateOf(partialOutputsOf(failure))).toMatchObject({ id: 'id-a' })
  })

  test('with an error and no object is refused, and the object stays recorded', async () => {
    const { outputs, remove } = await createWithTwoProviders(failWithoutObject('In use'))
    expect(await failureOf(remove(outputs))).toMatchObject({ status: 'ok', message: 'In use' })
  })
})

import { describe, expect, test, vi } from 'vitest'
import { type PropertyValue, unknown } from '../../../values/value.ts'
import type { TerraformClient } from '../client/terraform-client.ts'
import { createErrorDiagnostic } from './scripted-client.fixture.ts'
import { createScriptedProvider, inputsOf } from './scripted-provider.fixture.ts'
import { thingCodec, ticketCodec } from './scripted-schemas.fixture.ts'

type Script = (base: TerraformClient) => Partial<TerraformClient>

const createReference = (label: PropertyValue): PropertyValue =>
  inputsOf({
    __ephemeral: inputsOf({
      type: 'x_ticket',
      args: inputsOf({ label }),
      attribute: 'token',
    }),
  })

const inputs = inputsOf({ label: 'a', pass: createReference('t') })

/** Changes the responses to opens. */
const changeOpenResponses =
  (change: Readonly<Record<string, unknown>>): Script =>
  base => ({
    openEphemeralResource: async request => ({
      ...(await base.openEphemeralResource(request)),
      ...change,
    }),
  })

describe('an ephemeral resource', () => {
  test('is open from the plan to the apply of a resource, and closed afterwards', async () => {
    const { create, takeCalls, requestOf } = await createScriptedProvider()
    await create(inputs)
    expect(takeCalls()).toEqual([
      'validateEphemeralResourceConfig',
      'openEphemeralResource',
      'planResourceChange',
      'applyResourceChange',
      'closeEphemeralResource',
    ])
    expect(thingCodec.decode(requestOf('applyResourceChange')['config'])).toMatchObject({
      pass: 't1',
    })
  })

  test('is closed after a failed change', async () => {
    const { create, takeCalls } = await createScriptedProvider(() => ({
      planResourceChange: () => Promise.reject(new Error('broken')),
    }))
    await expect(create(inputs)).rejects.toThrow('broken')
    expect(takeCalls()).toContain('closeEphemeralResource')
  })

  test('is renewed at its time with the private data, and closed with the newest ones', async () => {
    const { create, calls, requestOf } = await createScriptedProvider(base => ({
      openEphemeralResource: async request => ({
        ...(await base.openEphemeralResource(request)),
        renewAtMs: Date.now(),
      }),
      renewEphemeralResource: async () => ({
        diagnostics: [],
        renewAtMs: undefined,
        private: new TextEncoder().encode('renewed'),
      }),
      async applyResourceChange(request) {
        await expect.poll(() => calls.map(({ rpc }) => rpc)).toContain('renewEphemeralResource')
        return base.applyResourceChange(request)
      },
    }))
    await create(inputs)
    const textOf = (data: unknown): string => new TextDecoder().decode(data as Uint8Array)
    expect(textOf(requestOf('renewEphemeralResource')['private'])).toBe('o')
    expect(textOf(requestOf('closeEphemeralResource')['private'])).toBe('renewed')
    expect(calls.filter(({ rpc }) => rpc === 'renewEphemeralResource')).toHaveLength(1)
  })

  test('is not renewed immediately if its renewal is later than the longest delay of a timer', async () => {
    const timerSpy = vi.spyOn(globalThis, 'setTimeout')
    const renewAtMs = Date.now() + 2 ** 40
    const { create } = await createScriptedProvider(changeOpenResponses({ renewAtMs }))
    await create(inputs)
    const delays = timerSpy.mock.calls.map(([, delayMs = 0]) => delayMs)
    timerSpy.mockRestore()
    expect(delays).toContain(2 ** 31 - 1)
  })

  test('whose arguments contain the value of another one does not show that value in its errors', async () => {
    const { create } = await createScriptedProvider(base => ({
      async openEphemeralResource(request) {
        const { label } = Object(ticketCodec.decode(request.config))
        const response = await base.openEphemeralResource(request)
        return label === 't'
          ? { ...response, result: ticketCodec.encode({ label, token: 'long-ticket' }) }
          : { ...response, diagnostics: [createErrorDiagnostic(`no ${label}`)] }
      },
    }))
    const failure = create(inputsOf({ label: 'a', pass: createReference(createReference('t')) }))
    await expect(failure).rejects.toThrow("cannot open 'x_ticket': no [secret]")
  })

  test.each<[string, Script, RegExp]>([
    ['null', changeOpenResponses({ result: undefined }), /the result is null/],
    [
      'an unknown value',
      changeOpenResponses({ result: ticketCodec.encode({ label: '?' }) }),
      /unknown values/,
    ],
    [
      'another type',
      changeOpenResponses({ result: { msgpack: Uint8Array.of(0xa1, 0x78) } }),
      /This is a bug/,
    ],
  ])('with %s as its result is closed, and nothing is planned', async (_name, script, message) => {
    const { create, takeCalls } = await createScriptedProvider(script)
    await expect(create(inputs)).rejects.toThrow(message)
    const calls = takeCalls()
    expect(calls).toContain('closeEphemeralResource')
    expect(calls).not.toContain('planResourceChange')
  })

  test.each<[string, Script, RegExp]>([
    ['a failed validation', () => refuseValidation, /cannot open 'x_ticket': Too short/],
    [
      'an error',
      changeOpenResponses({ diagnostics: [createErrorDiagnostic('No ticket')] }),
      /cannot open[^]*No ticket/,
    ],
    ['a deferral', changeOpenResponses({ deferralReason: 'unknown' }), /deferred the opening of/],
  ])('that has %s is not open, so it is not closed', async (_name, script, message) => {
    const { create, takeCalls } = await createScriptedProvider(script)
    await expect(create(inputs)).rejects.toThrow(message)
    expect(takeCalls()).not.toContain('closeEphemeralResource')
  })

  test('with unknown arguments is not opened in a preview', async () => {
    const { create, takeCalls, requestOf } = await createScriptedProvider()
    await create(inputsOf({ label: 'a', pass: createReference(unknown) }), { preview: true })
    expect(takeCalls()).toEqual(['planResourceChange'])
    expect(thingCodec.decode(requestOf('planResourceChange')['config'])).toMatchObject({
      pass: '?',
    })
  })

  test('that cannot be closed causes a warning', async () => {
    const { create, warnings } = await createScriptedProvider(() => ({
      closeEphemeralResource: async () => ({ diagnostics: [createErrorDiagnostic('Lost')] }),
    }))
    await create(inputs)
    expect(warnings).toEqual([expect.stringContaining('cannot close')])
  })
})

const refuseValidation: Partial<TerraformClient> = {
  validateEphemeralResourceConfig: async () => ({
    diagnostics: [createErrorDiagnostic('Too short')],
  }),
}

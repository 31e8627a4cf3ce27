import { expect, test } from 'vitest'
import { secretOf } from '../values/value.ts'
import { redactProviderErrors } from './redact-provider-errors.ts'
import { type Provider } from './provider.ts'
import { ProviderError } from './provider-error.ts'

const inputs = new Map([['token', secretOf('tok-hush')]])
const failures = [{ property: 'token', reason: 'tok-hush is refused' }]

/** Creates a provider whose calls all throw `thrown`, or without it return `failures`. */
function createLeakingProvider(thrown?: ProviderError): Provider {
  const answer = thrown === undefined ? async () => ({ failures }) : () => Promise.reject(thrown)
  const calls = ['checkConfig', 'diffConfig', 'configure', 'check', 'diff', 'create', 'update']
  const allCalls = [...calls, 'delete', 'read', 'invoke', 'call']
  return Object.fromEntries(allCalls.map(name => [name, answer])) as unknown as Provider
}

const input = {} as never

test.each(['checkConfig', 'check', 'invoke', 'call'] as const)(
  'the failures of %s do not contain secrets of the configuration',
  async name => {
    const answer = await redactProviderErrors(createLeakingProvider(), inputs)[name](input)
    expect(answer.failures).toEqual([{ property: 'token', reason: '[secret] is refused' }])
  },
)

test.each(['create', 'read', 'invoke', 'call'] as const)(
  'an error of %s contains no secret, and keeps its status, code and `isRequestUnsent`',
  async name => {
    const details = { status: 'ok', code: 14, isRequestUnsent: true } as const
    const thrown = new ProviderError('no connection for tok-hush', details)
    await expect(
      redactProviderErrors(createLeakingProvider(thrown), inputs)[name](input),
    ).rejects.toMatchObject({
      ...details,
      message: 'no connection for [secret]',
    })
  },
)

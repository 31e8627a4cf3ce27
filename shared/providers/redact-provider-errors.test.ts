import { expect, test } from 'vitest'
import { secretOf } from '../values/value.ts'
import { redactProviderErrors } from './redact-provider-errors.ts'
import { type Provider, ProviderError } from './provider.ts'

const inputs = new Map([['token', secretOf('tok-hush')]])
const failures = [{ property: 'token', reason: 'tok-hush is refused' }]

/** A provider of which every call fails, or answers with failures, and tells its secret so. */
function createTalkative(thrown?: ProviderError): Provider {
  const answer = thrown === undefined ? async () => ({ failures }) : () => Promise.reject(thrown)
  const calls = ['checkConfig', 'diffConfig', 'configure', 'check', 'diff', 'create', 'update']
  const all = [...calls, 'delete', 'read', 'invoke', 'call']
  return Object.fromEntries(all.map(name => [name, answer])) as unknown as Provider
}

const input = {} as never

test.each(['checkConfig', 'check', 'invoke', 'call'] as const)(
  'what %s answers is told without the secrets of the configuration',
  async name => {
    const answer = await redactProviderErrors(createTalkative(), inputs)[name](input)
    expect(answer.failures).toEqual([{ property: 'token', reason: '[secret] is refused' }])
  },
)

test.each(['create', 'read', 'invoke', 'call'] as const)(
  'an error of %s has no secret, and is of the same producer as before',
  async name => {
    const details = { status: 'ok', code: 14, isRequestUnsent: true } as const
    const thrown = new ProviderError('no connection for tok-hush', details)
    await expect(
      redactProviderErrors(createTalkative(thrown), inputs)[name](input),
    ).rejects.toMatchObject({
      ...details,
      message: 'no connection for [secret]',
    })
  },
)

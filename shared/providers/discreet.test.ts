import { expect, test } from 'vitest'
import { secretOf } from '../values/value.ts'
import { discreet } from './discreet.ts'
import { type Provider, ProviderError } from './provider.ts'

const inputs = new Map([['token', secretOf('tok-hush')]])
const failures = [{ property: 'token', reason: 'tok-hush is refused' }]

/** A provider of which every call fails, or answers with failures, and tells its secret so. */
function telling(thrown?: ProviderError): Provider {
  const answer = thrown === undefined ? async () => ({ failures }) : () => Promise.reject(thrown)
  const calls = ['checkConfig', 'diffConfig', 'configure', 'check', 'diff', 'create', 'update']
  const all = [...calls, 'delete', 'read', 'invoke', 'call']
  return Object.fromEntries(all.map(name => [name, answer])) as unknown as Provider
}

const asked = {} as never

test.each(['checkConfig', 'check', 'invoke', 'call'] as const)(
  'what %s answers is told without the secrets of the configuration',
  async name => {
    const answer = await discreet(telling(), inputs)[name](asked)
    expect(answer.failures).toEqual([{ property: 'token', reason: '[secret] is refused' }])
  },
)

test.each(['create', 'read', 'invoke', 'call'] as const)(
  'an error of %s has no secret, and is of the same producer as before',
  async name => {
    const about = { status: 'ok', code: 14, isUnasked: true } as const
    const thrown = new ProviderError('no connection for tok-hush', about)
    await expect(discreet(telling(thrown), inputs)[name](asked)).rejects.toMatchObject({
      ...about,
      message: 'no connection for [secret]',
    })
  },
)

import { expect, test } from 'vitest'
import { createError } from '../errors/error.ts'
import { ProviderError } from './provider-error.ts'
import { chooseVerdictAfterError, errorSourceOf } from './retry-policy.ts'

const createProviderError = (
  status: ProviderError['status'],
  fields: { readonly isRequestUnsent?: boolean } = {},
): ProviderError => new ProviderError('no', { status, code: 14, ...fields })

// The status of a provider's error is the effect of the call: with `ok` the call had none.
test.each([
  ['a call without an effect', 'provider', 'failed', createProviderError('ok')],
  [
    'an effect that the provider does not know',
    'provider',
    'failed',
    createProviderError('unknown'),
  ],
  ['an unsent request', 'unsent', 'failed', createProviderError('ok', { isRequestUnsent: true })],
  ['a lost connection', 'lost', 'interrupted', createProviderError('lost')],
  ['PLUGIN_FAILED', 'plugin', 'failed', createError('PLUGIN_FAILED', 'no port')],
  ['LEASE_LOST', 'lease', undefined, createError('LEASE_LOST', 'too late')],
  ['STORE_UNAVAILABLE', 'store', 'failed', createError('STORE_UNAVAILABLE', 'full')],
  ['a bug', 'internal', 'failed', new TypeError('not a function')],
] as const)(
  'the error of %s has the source %s and the verdict %s',
  (_what, source, verdict, thrown) => {
    expect(errorSourceOf(thrown)).toBe(source)
    expect(chooseVerdictAfterError(thrown)).toBe(verdict)
  },
)

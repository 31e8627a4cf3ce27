import { expect, test } from 'vitest'
import { error } from '../errors/error.ts'
import { ProviderError } from './provider-error.ts'
import { verdictAfterError, errorSourceOf } from './retry-policy.ts'

const createProviderError = (
  status: ProviderError['status'],
  more: { readonly isRequestUnsent?: boolean } = {},
): ProviderError => new ProviderError('no', { status, code: 14, ...more })

test.each([
  ['a refusal', 'provider', 'failed', createProviderError('ok')],
  ['an unknown effect', 'provider', 'failed', createProviderError('unknown')],
  ['an unsent request', 'unsent', 'failed', createProviderError('ok', { isRequestUnsent: true })],
  ['a lost connection', 'lost', 'interrupted', createProviderError('lost')],
  ['PLUGIN_FAILED', 'plugin', 'failed', error('PLUGIN_FAILED', 'no port')],
  ['LEASE_LOST', 'lease', undefined, error('LEASE_LOST', 'too late')],
  ['STORE_UNAVAILABLE', 'store', 'failed', error('STORE_UNAVAILABLE', 'full')],
  ['a bug', 'internal', 'failed', new TypeError('a stone')],
] as const)(
  'the error of %s has the source %s and the verdict %s',
  (_what, source, verdict, thrown) => {
    expect(errorSourceOf(thrown)).toBe(source)
    expect(verdictAfterError(thrown)).toBe(verdict)
  },
)

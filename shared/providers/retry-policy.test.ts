import { expect, test } from 'vitest'
import { error } from '../errors/error.ts'
import { ProviderError } from './provider-error.ts'
import { verdictAfterError, errorSourceOf } from './retry-policy.ts'

const createProviderError = (
  status: ProviderError['status'],
  more: { readonly isRequestUnsent?: boolean } = {},
): ProviderError => new ProviderError('no', { status, code: 14, ...more })

test.each([
  [createProviderError('ok'), 'provider', 'failed'],
  [createProviderError('unknown'), 'provider', 'failed'],
  [createProviderError('ok', { isRequestUnsent: true }), 'unsent', 'failed'],
  [createProviderError('lost'), 'lost', 'interrupted'],
  [error('PLUGIN_FAILED', 'no port'), 'plugin', 'failed'],
  [error('LEASE_LOST', 'too late'), 'lease', undefined],
  [error('STORE_UNAVAILABLE', 'full'), 'store', 'failed'],
  [new TypeError('a stone'), 'internal', 'failed'],
] as const)('%s has the error source %s and ends an operation as %s', (thrown, producer, end) => {
  expect(errorSourceOf(thrown)).toBe(producer)
  expect(verdictAfterError(thrown)).toBe(end)
})

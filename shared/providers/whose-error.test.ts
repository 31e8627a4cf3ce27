import { expect, test } from 'vitest'
import { error } from '../errors/error.ts'
import { ProviderError } from './provider.ts'
import { endAfter, producerOf } from './whose-error.ts'

const said = (
  status: ProviderError['status'],
  more: { readonly isUnasked?: boolean } = {},
): ProviderError => new ProviderError('no', { status, code: 14, ...more })

test.each([
  [said('ok'), 'provider', 'failed'],
  [said('unknown'), 'provider', 'failed'],
  [said('ok', { isUnasked: true }), 'unasked', 'failed'],
  [said('lost'), 'lost', 'interrupted'],
  [error('PLUGIN_FAILED', 'no port'), 'plugin', 'failed'],
  [error('LEASE_LOST', 'too late'), 'lease', undefined],
  [error('STORE_UNAVAILABLE', 'full'), 'store', 'failed'],
  [new TypeError('a stone'), 'ours', 'failed'],
] as const)('%s is of %s and ends an operation as %s', (thrown, producer, end) => {
  expect(producerOf(thrown)).toBe(producer)
  expect(endAfter(thrown)).toBe(end)
})

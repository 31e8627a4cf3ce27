import { expect, test } from 'vitest'
import { toConfigTree, toStoredConfigValue } from './config-tree.ts'
import { toRecordedConfig } from './recorded-config.ts'

test('a recorded configuration has the ciphertexts of the stack file, also within maps and lists', () => {
  const tls = { hosts: ['a', { secure: 'v1:inner' }], port: 443 }
  const file: readonly (readonly [string, unknown])[] = [
    ['shop:size', 3],
    ['shop:token', { secure: 'v1:nonce:text' }],
    ['shop:tls', tls],
  ]
  const values = file.map(
    ([key, value]) => [key, toStoredConfigValue(toConfigTree(value))] as const,
  )
  expect(toRecordedConfig(new Map(values))).toEqual({
    'shop:size': '3',
    'shop:token': { secure: 'v1:nonce:text' },
    'shop:tls': tls,
  })
})

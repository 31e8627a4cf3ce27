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

test('a recorded configuration keeps all digits of integers', () => {
  const serials = { low: -12_345_678_901_234_567_890n, list: [9_007_199_254_740_993n, 7n] }
  const value = toStoredConfigValue(toConfigTree(serials))
  expect(toRecordedConfig(new Map([['shop:serials', value]]))).toEqual({
    'shop:serials': { low: '-12345678901234567890', list: ['9007199254740993', 7] },
  })
})

import { expect, test } from 'vitest'
import { describeRecordedConfig, maskedConfigText } from './deployed-config.ts'

test('only values with an encrypted leaf are masked', () => {
  const plain = { tls: { secure: true }, text: '{"secure":"v1:a:b"}', list: [{ secure: 1 }] }
  expect(describeRecordedConfig(plain)).toEqual({
    tls: '{"secure":true}',
    text: '{"secure":"v1:a:b"}',
    list: '[{"secure":1}]',
  })
  const secrets = { token: { secure: 'v1:a:b' }, map: { inner: [{ secure: 'v1:a:b' }] } }
  expect(describeRecordedConfig(secrets)).toEqual({
    token: maskedConfigText,
    map: maskedConfigText,
  })
})

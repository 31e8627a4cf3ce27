import { expect, test } from 'vitest'
import type { PropertyMap, PropertyValue } from './value.ts'
import { createRedactor, collectSecretTexts } from './redact-secrets.ts'

test('secret texts are found at any depth, and no others', () => {
  const inner = new Map([['token', 'abcdef']])
  const map: PropertyMap = new Map<string, PropertyValue>([
    ['plain', 'visible'],
    ['nested', { kind: 'secret', value: [inner, 'xyz12'] }],
  ])
  expect(collectSecretTexts(map)).toEqual(['abcdef', 'xyz12'])
})

test('messages are redacted, longest secrets first, except for very short secrets', () => {
  const redact = createRedactor(['secret', 'secret-and-more', 'a'])
  expect(redact('a secret-and-more, a secret')).toBe('a [secret], a [secret]')
})

test('each line of a secret is redacted by itself, except for short ones', () => {
  const redact = createRedactor(['-----BEGIN KEY-----\n  MIIEpAIBAAKCAQEA\r\nend\n'])
  expect(redact('[DEBUG] MIIEpAIBAAKCAQEA')).toBe('[DEBUG] [secret]')
  expect(redact('the end')).toBe('the end')
})

test('secrets that messages quote as JSON are redacted', () => {
  const redact = createRedactor(['two\nlines', 'a "word"'])
  expect(redact(JSON.stringify({ body: 'two\nlines, a "word"' }))).toBe(
    '{"body":"[secret], [secret]"}',
  )
})

import { expect, test } from 'vitest'
import type { PropertyMap, PropertyValue } from './value.ts'
import { createRedactor, collectSecretTexts } from './redact-secrets.ts'

test('secret texts are found at any depth, and only those', () => {
  const inner = new Map([['token', 'abcdef']])
  const map: PropertyMap = new Map<string, PropertyValue>([
    ['plain', 'visible'],
    ['nested', { kind: 'secret', value: [inner, 'xyz12'] }],
  ])
  expect(collectSecretTexts(map)).toEqual(['abcdef', 'xyz12'])
})

test('messages lose secrets, the longest first, and keep what is too short to be one', () => {
  const scrub = createRedactor(['secret', 'secret-and-more', 'a'])
  expect(scrub('a secret-and-more, a secret')).toBe('a [secret], a [secret]')
})

test('messages lose secrets that they quote as JSON', () => {
  const scrub = createRedactor(['two\nlines', 'a "word"'])
  expect(scrub(JSON.stringify({ body: 'two\nlines, a "word"' }))).toBe(
    '{"body":"[secret], [secret]"}',
  )
})

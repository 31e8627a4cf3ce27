import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createUrnSet } from './urn-set.ts'
import type { Urn } from './urn.ts'

const urn = 'urn:pulumi:dev::p::pkg:index:Group$pkg:index:Thing::web-1' as Urn

test.each([
  ['itself', urn, true],
  ['another', `${urn}2`, false],
  ['anything', '**', true],
  ['anything without colons', '*', false],
  ['its end', '**::web-1', true],
  ['a name within its part', 'urn:pulumi:dev::p::pkg:index:Group$pkg:index:Thing::web-*', true],
  ['a star that does not match colons', 'urn:pulumi:*::web-1', false],
  ['one star in each part', 'urn:pulumi:*::*::*:*:*:*:*::*', true],
  ['a type in the middle', '**Group**', true],
  ['a literal dollar', '**$pkg:index:Thing::*', true],
  ['a literal dot', '**web.1', false],
  ['three stars', '***', true],
  ['a pattern without a trailing star', '**web', false],
  ['stars at both ends', '**web-*', true],
])('%s: the entry %s matches the URN: %s', (_what, entry, expected) => {
  expect(createUrnSet([entry]).has(urn)).toBe(expected)
})

test.each([
  ['*a*', 'aa:b', false],
  ['*a*', 'ab', true],
  ['urn:pulumi:dev::p::aws:*-*::x', 'urn:pulumi:dev::p::aws:a-b-c:D::x', false],
  ['urn:pulumi:dev::p::aws:*-*:*::x', 'urn:pulumi:dev::p::aws:a-b-c:D::x', true],
])('the pattern %s matches %s: %s', (pattern, text, expected) => {
  expect(createUrnSet([pattern]).has(text as Urn)).toBe(expected)
})

test('patterns match the same texts as their regular expressions', () => {
  const token = fc.constantFrom('*', '**', 'a', ':', 'b')
  const pattern = fc.array(token, { minLength: 1, maxLength: 7 }).map(tokens => tokens.join(''))
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ':'), maxLength: 8 })
  fc.assert(
    fc.property(pattern, text, (entry, urnText) => {
      if (!entry.includes('*')) return
      // A run of more than two stars is split from the left, as in the set.
      const source = entry.replace(/\*\*|\*/g, star => (star === '**' ? '.*' : '[^:]*'))
      const expected = new RegExp(`^${source}$`, 's').test(urnText)
      expect(createUrnSet([entry]).has(urnText as Urn)).toBe(expected)
    }),
    { numRuns: 3_000 },
  )
})

test('an empty set contains every URN and is not constrained', () => {
  const set = createUrnSet([])
  expect([set.isConstrained, set.has(urn), set.literals]).toEqual([false, true, []])
})

test('literals are the entries without a star', () => {
  expect(createUrnSet([urn, '**', 'no urn']).literals).toEqual([urn, 'no urn'])
})

test('no pattern is slow to match', () => {
  const long = 'a'.repeat(2_000) as Urn
  const began = performance.now()
  expect(createUrnSet([`${'**a'.repeat(20)}b`]).has(long)).toBe(false)
  expect(performance.now() - began).toBeLessThan(2_000)
})

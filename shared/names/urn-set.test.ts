import { expect, test } from 'vitest'
import { urnSetOf } from './urn-set.ts'
import type { Urn } from './urn.ts'

const urn = 'urn:pulumi:dev::p::pkg:index:Group$pkg:index:Thing::web-1' as Urn

test.each([
  ['itself', urn, true],
  ['another', `${urn}2`, false],
  ['anything', '**', true],
  ['anything without colons', '*', false],
  ['its end', '**::web-1', true],
  ['a name within its part', 'urn:pulumi:dev::p::pkg:index:Group$pkg:index:Thing::web-*', true],
  ['a star that would have to pass colons', 'urn:pulumi:*::web-1', false],
  ['one star in each part', 'urn:pulumi:*::*::*:*:*:*:*::*', true],
  ['a type in the middle', '**Group**', true],
  ['a dollar as it is', '**$pkg:index:Thing::*', true],
  ['a dot as it is', '**web.1', false],
  ['three stars', '***', true],
  ['a pattern that is not at the end', '**web', false],
  ['stars at both ends', '**web-*', true],
])('%s', (_what, entry, expected) => {
  expect(urnSetOf([entry]).has(urn)).toBe(expected)
})

test('a set of nothing has everything and constrains nothing', () => {
  const set = urnSetOf([])
  expect([set.isConstrained, set.has(urn), set.literals]).toEqual([false, true, []])
})

test('literals are what has no star', () => {
  expect(urnSetOf([urn, '**', 'no urn']).literals).toEqual([urn, 'no urn'])
})

test('no pattern takes long', () => {
  const long = 'a'.repeat(2_000) as Urn
  const began = performance.now()
  expect(urnSetOf([`${'**a'.repeat(20)}b`]).has(long)).toBe(false)
  expect(performance.now() - began).toBeLessThan(2_000)
})

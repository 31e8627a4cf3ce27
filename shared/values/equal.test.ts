import { describe, expect, test } from 'vitest'
import type { Urn } from '../names/urn.ts'
import { areEqualMaps, areEqualValues } from './equal.ts'
import { type Asset, type PropertyValue, secretOf, unknown } from './value.ts'

const urn = 'urn:pulumi:dev::p::a:b:C::n' as Urn
const asset = (hash: string, text: string): PropertyValue => ({
  kind: 'asset',
  hash,
  source: { text },
})
const hiHash = '8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4'
const file = (path: string): Asset => ({ kind: 'asset', hash: '', source: { path } })
const folder = (member: Asset): PropertyValue => ({
  kind: 'archive',
  hash: '',
  source: { assets: new Map([['m', member]]) },
})
const reference = (packageVersion: string, id?: string): PropertyValue => ({
  kind: 'reference',
  urn,
  packageVersion,
  ...(id === undefined ? {} : { id }),
})
const output = (...dependencies: string[]): PropertyValue => ({
  kind: 'output',
  secret: false,
  value: 1,
  dependencies: dependencies as Urn[],
})

describe('values', () => {
  test.each<[string, PropertyValue | undefined, PropertyValue | undefined]>([
    ['null and undefined', null, undefined],
    ['objects where one has an additional null', new Map([['a', null]]), new Map()],
    ['lists of equal items', [new Map([['a', 1]])], [new Map([['a', 1]])]],
    ['secrets of equal values', secretOf([1]), secretOf([1])],
    ['unknowns', unknown, { kind: 'unknown' }],
    ['assets with the same hash', asset('h', 'a'), asset('h', 'b')],
    ['text assets with and without the hash of their text', asset('', 'hi'), asset(hiHash, 'hi')],
    ['files without hashes', file('a'), file('a')],
    ['archives of equal members', folder(file('a')), folder(file('a'))],
    ['references to one resource with two versions', reference('1', 'i'), reference('2', 'i')],
    ['outputs with the same dependencies', output('a', 'b'), output('a', 'b')],
  ])('are equal: %s', (_name, a, b) => {
    expect(areEqualValues(a, b)).toBe(true)
    expect(areEqualValues(b, a)).toBe(true)
  })

  test.each<[string, PropertyValue | undefined, PropertyValue | undefined]>([
    ['null and an empty text', null, ''],
    ['null and an empty list', null, []],
    ['a list and the same list with an additional null', [1], [1, null]],
    ['a list and an object', [], new Map()],
    ['a secret and its value', secretOf(1), 1],
    ['the unknown and a secret', unknown, secretOf(unknown)],
    ['NaN and NaN', Number.NaN, Number.NaN],
    ['assets with different hashes', asset('h', 'a'), asset('g', 'a')],
    ['a file with a hash and without', file('a'), { ...file('a'), hash: hiHash }],
    ['archives with different members', folder(file('a')), folder(file('b'))],
    [
      'assets without contents and hash',
      { ...file('a'), source: undefined },
      { ...file('a'), source: undefined },
    ],
    ['references to a component and to a custom resource', reference('1'), reference('1', '')],
    ['outputs with dependencies in another order', output('a', 'b'), output('b', 'a')],
    ['an asset and an archive', asset('h', ''), { kind: 'archive', hash: 'h', source: undefined }],
  ])('differ: %s', (_name, a, b) => {
    expect(areEqualValues(a, b)).toBe(false)
    expect(areEqualValues(b, a)).toBe(false)
  })

  test('objects differ if either one has a key that the other one lacks', () => {
    expect(areEqualMaps(new Map([['a', 1]]), new Map())).toBe(false)
    expect(areEqualMaps(new Map(), new Map([['a', 1]]))).toBe(false)
  })
})

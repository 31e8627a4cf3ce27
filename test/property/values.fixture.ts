import fc from 'fast-check'
import type { Urn } from '../../shared/names/urn.ts'
import {
  type PropertyMap,
  type PropertyValue,
  secretOf,
  unknown,
} from '../../shared/values/value.ts'
import { signatureKey, unknownMarkers } from '../../shared/values/wire-options.ts'

const hash = 'a'.repeat(64)

/**
 * Keys, among them those that JavaScript treats specially: `__proto__`, and numbers, which objects
 * list first. U+FFEE and U+1F600 have another order in UTF-16 than in UTF-8. Go escapes `<&>`.
 */
export const keys: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.constantFrom('__proto__', 'constructor', '0', '10', '9', '\uffee', '\u{1f600}', '<&>', ''),
  )
  .filter(key => key !== signatureKey && key.isWellFormed())

const texts = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom('\u2028', '<b>', '"\\', '\u0000'),
  )
  .filter(text => text.isWellFormed() && !unknownMarkers.has(text))

const numbers = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(-0, 1e21, 1e-7, 2 ** 53, Number.NaN, Number.NEGATIVE_INFINITY),
)

const urn = 'urn:pulumi:dev::shop::a:b:C::other' as Urn

const specialValues: fc.Arbitrary<PropertyValue> = fc.constantFrom<PropertyValue[]>(
  unknown,
  { kind: 'bytes', base64: '/w==' },
  { kind: 'asset', hash: '', source: { text: 'a' } },
  { kind: 'asset', hash, source: { path: 'a.txt' } },
  { kind: 'asset', hash, source: undefined },
  { kind: 'archive', hash, source: { uri: 'file:///a.zip' } },
  { kind: 'archive', hash: '', source: { assets: new Map() } },
  {
    kind: 'archive',
    hash,
    source: { assets: new Map([['10', { kind: 'asset', hash, source: { text: '<>' } }]]) },
  },
  { kind: 'reference', urn, packageVersion: '' },
  { kind: 'reference', urn, packageVersion: '1.2.3', id: 'i' },
  { kind: 'reference', urn, packageVersion: '', id: unknown },
)

/** Values of each kind that a state can contain. */
export const values: fc.Arbitrary<PropertyValue> = fc.letrec<{
  value: PropertyValue
  map: PropertyMap
}>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), numbers, texts, specialValues),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('map'),
    tie('value').map(secretOf),
  ),
  map: fc.array(fc.tuple(keys, tie('value')), { maxLength: 4 }).map(entries => new Map(entries)),
})).value

/** Objects of a state. */
export const maps: fc.Arbitrary<PropertyMap> = fc
  .array(fc.tuple(keys, values), { maxLength: 5 })
  .map(entries => new Map(entries))

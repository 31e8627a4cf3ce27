import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Urn } from '../names/urn.ts'
import type { Json } from './json.ts'
import { decodeStored, decodeStoredMap, encodeStored, encodeStoredMap } from './value-codec.ts'
import { type PropertyValue, secretOf, unknown } from './value.ts'
import { emptyAssetHash, signatureKey as sig, signatures } from './wire-options.ts'

const unknownText = '04da6b54-80e4-46f7-96ec-b56ff0331ba9'
const urn = 'urn:pulumi:dev::p::a:b:C::n' as Urn
const seal = (plaintext: string) => ({ ciphertext: `<${plaintext}>` })
const open = (ciphertext: string): string => ciphertext.slice(1, -1)
const reveal = (plaintext: string) => ({ plaintext })
const roundTrip = (value: PropertyValue): PropertyValue =>
  decodeStored(JSON.parse(JSON.stringify(encodeStored(value, seal))) as Json, open)

describe('values in states', () => {
  const values: Record<string, PropertyValue> = {
    null: null,
    text: 'a\u2028"\u0000',
    number: -1.5e-7,
    'not a number': Number.NaN,
    infinity: Number.NEGATIVE_INFINITY,
    list: [1, null, [], new Map(), unknown],
    'keys that JavaScript moves or hides': new Map([
      ['__proto__', 1],
      ['10', 2],
      ['9', 3],
    ]),
    secret: secretOf(null),
    'nested secret': secretOf(new Map([['in', secretOf(['<&>', unknown])]])),
    bytes: { kind: 'bytes', base64: '/w==' },
    'text asset': { kind: 'asset', hash: 'h', source: { text: 'hi' } },
    'empty text asset': { kind: 'asset', hash: emptyAssetHash, source: { text: '' } },
    'asset without contents': { kind: 'asset', hash: 'h', source: undefined },
    'asset of a file': { kind: 'asset', hash: '', source: { path: 'a.txt' } },
    archive: {
      kind: 'archive',
      hash: 'h',
      source: { assets: new Map([['a', { kind: 'asset', hash: '', source: { uri: 'file:a' } }]]) },
    },
    'archive without contents': { kind: 'archive', hash: 'h', source: undefined },
    'reference to a component': { kind: 'reference', urn, packageVersion: '' },
    'reference to a custom resource': { kind: 'reference', urn, packageVersion: '1.0.0', id: 'i' },
    'reference to a resource without an id yet': {
      kind: 'reference',
      urn,
      packageVersion: '',
      id: unknown,
    },
  }
  for (const [name, value] of Object.entries(values))
    test(`survive encoding and decoding: ${name}`, () => {
      expect(roundTrip(value)).toEqual(value)
    })

  test('lose kinds that states lack: outputs become secret, plain or unknown', () => {
    const output = { kind: 'output', dependencies: [urn] } as const
    expect(roundTrip({ ...output, secret: true, value: 1 })).toEqual(secretOf(1))
    expect(roundTrip({ ...output, secret: false, value: 1 })).toBe(1)
    expect(roundTrip({ ...output, secret: true })).toEqual(unknown)
  })

  test('have their keys sorted by bytes instead of UTF-16 units', () => {
    const keys = Object.keys(
      encodeStoredMap(
        new Map([
          ['\u{1f600}', 1],
          ['\uffee', 2],
          ['a', 3],
        ]),
        seal,
      ),
    )
    expect(keys).toEqual(['a', '\uffee', '\u{1f600}'])
  })

  test('contain the bits of numbers that JSON lacks', () => {
    expect(encodeStored(Number.POSITIVE_INFINITY, seal)).toEqual({
      [sig]: '8ad145fe-0d11-4827-bfd7-1abcbf086f5c',
      value: '7ff0000000000000',
    })
  })

  test('always contain the version of a reference, and its id only if it has one', () => {
    const reference = { kind: 'reference', urn, packageVersion: '' } as const
    expect(encodeStored(reference, seal)).toEqual({
      [sig]: signatures.reference,
      urn,
      packageVersion: '',
    })
    expect(encodeStored({ ...reference, id: unknown }, seal)).toHaveProperty('id', '')
  })
})

describe('secrets in states', () => {
  test('contain JSON text as Go writes it', () => {
    const value = secretOf(
      new Map<string, PropertyValue>([
        ['b', '<&>'],
        ['10', -0],
        ['9', '\u2028'],
      ]),
    )
    expect(encodeStored(value, reveal)).toEqual({
      [sig]: signatures.secret,
      plaintext: '{"10":-0,"9":"\\u2028","b":"\\u003c\\u0026\\u003e"}',
    })
  })

  test('inside an encrypted secret are plaintext in the field `ciphertext`', () => {
    const inner = JSON.stringify({ [sig]: signatures.secret, ciphertext: '"in"' })
    expect(encodeStored(secretOf([secretOf('in')]), seal)).toEqual({
      [sig]: signatures.secret,
      ciphertext: `<[${inner}]>`,
    })
  })

  test('that are not JSON have an error without a part of them, also as its cause', () => {
    const stored = { [sig]: signatures.secret, plaintext: 'hunter2' }
    try {
      decodeStored(stored, open)
      expect.unreachable()
    } catch (thrown) {
      expect(inspect(thrown, { depth: 9 })).toContain('does not contain JSON')
      expect(inspect(thrown, { depth: 9 })).not.toContain('hunter2')
    }
  })

  test('are shown at every depth in plaintext mode', () => {
    const inner = JSON.stringify({ [sig]: signatures.secret, plaintext: '"in"' })
    const revealed = encodeStored(secretOf([secretOf('in')]), reveal)
    expect(revealed).toEqual({ [sig]: signatures.secret, plaintext: `[${inner}]` })
    expect(decodeStored(revealed, open)).toEqual(secretOf([secretOf('in')]))
  })

  test.each([
    ['neither text', {}],
    ['both texts', { ciphertext: '<1>', plaintext: '1' }],
    ['no JSON inside', { plaintext: '{' }],
  ])('are refused with %s', (_name, fields) => {
    expect(() => decodeStored({ [sig]: signatures.secret, ...fields }, open)).toThrow(
      expect.objectContaining({ code: 'SECRETS_MALFORMED' }),
    )
  })
})

describe('decoding values', () => {
  test('reads the unknown text as unknown, also inside secrets', () => {
    const json = { [sig]: signatures.secret, plaintext: JSON.stringify([unknownText]) }
    expect(decodeStored(json, open)).toEqual(secretOf([unknown]))
  })

  test('reads boxed ids from an old version', () => {
    const read = (V: Json): PropertyValue =>
      decodeStored({ [sig]: signatures.reference, urn, packageVersion: '', id: { V } }, open)
    expect(read(null)).toEqual({ kind: 'reference', urn, packageVersion: '' })
    expect(read('i')).toHaveProperty('id', 'i')
    expect(read({})).toHaveProperty('id', unknown)
  })

  test.each<[string, Json]>([
    ['an unknown signature', { [sig]: 'else' }],
    ['a signature that is not a text', { [sig]: 1 }],
    ['an output', { [sig]: signatures.output, value: 1 }],
    ['a reference without a valid URN', { [sig]: signatures.reference, urn: 'x' }],
    ['a number with too few bits', { [sig]: '8ad145fe-0d11-4827-bfd7-1abcbf086f5c', value: '7f' }],
    ['bytes that are not base64', { [sig]: signatures.bytes, value: '?' }],
    ['an archive of texts', { [sig]: signatures.archive, assets: { a: 'text' } }],
  ])('refuses %s', (_name, json) => {
    expect(() => decodeStoredMap({ a: [json] }, open)).toThrow(
      expect.objectContaining({ code: 'VALUE_MALFORMED' }),
    )
  })
})

import { describe, expect, test } from 'vitest'
import { CreateRequest } from '../../proto/gen/pulumi/provider.ts'
import type { Urn } from '../names/urn.ts'
import { type PropertyMap, type PropertyValue, unknown } from './value.ts'
import { decodeWire, decodeWireValue } from './decode-wire.ts'
import { encodeWire, encodeWireValue } from './encode-wire.ts'
import type { WireOptions } from './wire-options.ts'
import { emptyAssetHash, signatureKey as sig, signatures } from './wire-options.ts'

/** The options of a peer that understands every kind of value. */
const fullOptions: WireOptions = {
  unknowns: 'keep',
  secrets: true,
  references: true,
  outputs: true,
  allowsByteStrings: true,
}
/** The options of a peer that understands plain values only. */
const plainOptions: WireOptions = {
  unknowns: 'drop',
  secrets: false,
  references: false,
  outputs: false,
  allowsByteStrings: false,
}
const unknownText = '04da6b54-80e4-46f7-96ec-b56ff0331ba9'
const urn = 'urn:pulumi:dev::p::a:b:C::n' as Urn

function map(fields: Record<string, PropertyValue>): PropertyMap {
  return new Map(Object.entries(fields))
}

/** Encodes and decodes the bytes of a real request, as a provider receives them. */
function encodeAndDecode(struct: Record<string, unknown>): Record<string, unknown> {
  const bytes = CreateRequest.encode(CreateRequest.create({ properties: struct })).finish()
  return CreateRequest.decode(bytes).properties ?? {}
}

describe('values that survive encoding and decoding', () => {
  const values: Record<string, PropertyValue> = {
    null: null,
    bool: true,
    text: 'a\u2028"\u0000',
    list: [1, null, [], new Map(), unknown],
    object: new Map([['a', new Map([['', 1]])]]),
    secret: { kind: 'secret', value: map({ a: { kind: 'secret', value: null } }) },
    unknown,
    output: { kind: 'output', value: 1, secret: true, dependencies: [urn] },
    unresolvedOutput: { kind: 'output', secret: false, dependencies: [] },
    emptyText: { kind: 'asset', hash: '', source: { text: '' } },
    asset: { kind: 'asset', hash: 'ab', source: { path: './x' } },
    elided: { kind: 'asset', hash: 'ab', source: undefined },
    archive: {
      kind: 'archive',
      hash: 'cd',
      source: {
        assets: new Map([['a', { kind: 'asset', hash: '', source: { uri: 'http://x' } }]]),
      },
    },
    emptyArchive: { kind: 'archive', hash: '', source: { assets: new Map() } },
    reference: { kind: 'reference', urn, id: 'i', packageVersion: '1', name: 'n', type: 'a:b:C' },
    referenceUnknown: {
      kind: 'reference',
      urn,
      id: unknown,
      packageVersion: '',
      name: 'n',
      type: 'a:b:C',
    },
    referenceComponent: { kind: 'reference', urn, packageVersion: '', name: 'n', type: 'a:b:C' },
    bytes: { kind: 'bytes', base64: '/w==' },
  }
  test.each(Object.entries(values))('%s', (_name, value) => {
    expect(
      decodeWire(encodeAndDecode(encodeWire(map({ value }), fullOptions)), fullOptions),
    ).toEqual(map({ value }))
  })

  test('a property called __proto__', () => {
    const odd = new Map<string, PropertyValue>([['__proto__', new Map([['__proto__', 1]])]])
    expect(decodeWire(encodeAndDecode(encodeWire(odd, fullOptions)), fullOptions)).toEqual(odd)
  })

  test.each([Number.NaN, Infinity, -Infinity, -0, 5e-324])('the number %s', value => {
    expect(decodeWire(encodeAndDecode({ value }), fullOptions).get('value')).toBe(value)
  })
})

describe('writing for a peer with fewer capabilities', () => {
  test('secrets are sent bare', () => {
    expect(encodeWireValue({ kind: 'secret', value: 's' }, plainOptions)).toBe('s')
  })

  test('unknowns are dropped from objects and lists, so list indexes shift', () => {
    const value = map({ a: unknown, b: [unknown, 1], c: { kind: 'secret', value: unknown } })
    expect(encodeWire(value, plainOptions)).toEqual({ b: [1] })
  })

  test('the error of a rejected unknown names its path', () => {
    const options: WireOptions = { ...plainOptions, unknowns: 'reject' }
    expect(() => encodeWire(map({ a: [1, map({ b: unknown })] }), options)).toThrow("'a[1].b'")
  })

  test('references become the id, or else the URN', () => {
    const reference = { kind: 'reference', urn, packageVersion: '' } as const
    expect(encodeWireValue(reference, plainOptions)).toBe(urn)
    expect(encodeWireValue({ ...reference, id: 'i' }, plainOptions)).toBe('i')
    expect(
      encodeWireValue({ ...reference, id: unknown }, { ...plainOptions, unknowns: 'keep' }),
    ).toBe(unknownText)
  })

  test('outputs collapse to unknown, secret or the bare value', () => {
    const options: WireOptions = { ...fullOptions, outputs: false }
    const output = { kind: 'output', secret: true, dependencies: [urn] } as const
    expect(encodeWireValue(output, options)).toEqual({
      [sig]: signatures.secret,
      value: unknownText,
    })
    expect(encodeWireValue({ ...output, value: 1, secret: false }, options)).toBe(1)
  })

  test('secrets and unknowns become outputs under the option upgradesToOutputs', () => {
    const options: WireOptions = { ...fullOptions, upgradesToOutputs: true }
    expect(encodeWireValue(unknown, options)).toEqual({ [sig]: signatures.output })
    expect(encodeWireValue({ kind: 'secret', value: 1 }, options)).toEqual({
      [sig]: signatures.output,
      value: 1,
      secret: true,
    })
  })

  test('elided assets contain only their hash', () => {
    const asset: PropertyValue = { kind: 'asset', hash: 'ab', source: { text: 't' } }
    const archive: PropertyValue = { kind: 'archive', hash: 'cd', source: { path: 'p' } }
    const options: WireOptions = { ...fullOptions, elideAssets: true }
    expect(encodeWireValue(asset, options)).toEqual({ [sig]: signatures.asset, hash: 'ab' })
    expect(encodeWireValue(archive, options)).toEqual({ [sig]: signatures.archive, hash: 'cd' })
  })

  test('byte strings are an error', () => {
    expect(() => encodeWire(map({ k: { kind: 'bytes', base64: '/w==' } }), plainOptions)).toThrow(
      "'k'",
    )
  })
})

describe('reading', () => {
  // The texts of an unknown bool, number, string, array, asset, archive and object.
  test.each([
    '1c4a061d-8072-4f0a-a4cb-0ff528b18fe7',
    '3eeb2bf0-c639-47a8-9e75-3b44932eb421',
    unknownText,
    '6a19a0b0-7e62-4c92-b797-7f8e31da9cc2',
    '030794c1-ac77-496b-92df-f27374a8bd58',
    'e48ece36-62e2-4504-bad9-02848725956a',
    'dd056dcd-154b-4c76-9bd3-c8f88648b5ff',
  ])('the sentinel %s is unknown', text => {
    expect(decodeWireValue(text, fullOptions)).toEqual(unknown)
    expect(() => decodeWire({ k: text }, { ...fullOptions, unknowns: 'reject' })).toThrow(
      "'k' is unknown",
    )
  })

  test('a dropped unknown is omitted from objects, and becomes null in lists', () => {
    expect(decodeWire({ a: unknownText, b: [unknownText, 1] }, plainOptions)).toEqual(
      map({ b: [null, 1] }),
    )
  })

  test('secrets are read bare without the secrets option', () => {
    expect(decodeWireValue({ [sig]: signatures.secret, value: 's' }, plainOptions)).toBe('s')
  })

  test('the option upgradesToOutputs converts secrets and unknowns to outputs', () => {
    const options: WireOptions = { ...fullOptions, upgradesToOutputs: true }
    expect(decodeWireValue(unknownText, options)).toEqual({
      kind: 'output',
      secret: false,
      dependencies: [],
    })
    expect(decodeWireValue({ [sig]: signatures.secret, value: unknownText }, options)).toEqual({
      kind: 'output',
      secret: true,
      dependencies: [],
    })
  })

  test('an asset without a source is empty text if it has the hash of empty text; otherwise its contents are elided', () => {
    const read = (hash: string): PropertyValue | undefined =>
      decodeWireValue({ [sig]: signatures.asset, hash }, fullOptions)
    expect(read(emptyAssetHash)).toMatchObject({ source: { text: '' } })
    expect(read('ab')).toMatchObject({ source: undefined })
  })

  test.each<[string, unknown, string]>([
    ['an unknown signature', { [sig]: 'x' }, "unknown signature 'x'"],
    ['a secret without a value', { [sig]: signatures.secret }, 'secret without a value'],
    ['a reference without a URN', { [sig]: signatures.reference }, 'without a URN'],
    ['bytes without text', { [sig]: signatures.bytes, value: 1 }, 'without base64'],
    [
      'a hash that is not a text',
      { [sig]: signatures.asset, hash: 1 },
      "'hash' that is not a string",
    ],
    [
      'dependencies that are not URNs',
      { [sig]: signatures.output, dependencies: [1] },
      'not a list of URNs',
    ],
    ['an archive of numbers', { [sig]: signatures.archive, assets: { a: 1 } }, 'member'],
  ])('%s is an error that names the key', (_name, value, message) => {
    expect(() => decodeWire({ outer: { key: value } }, fullOptions)).toThrow(message)
    expect(() => decodeWire({ outer: { key: value } }, fullOptions)).toThrow("'outer.key")
  })

  test('an absent Struct is an empty map', () => {
    expect(decodeWire(undefined, fullOptions)).toEqual(new Map())
  })
})

import { describe, expect, test } from 'vitest'
import type { Urn } from '../names/urn.ts'
import { type Output, type PropertyMap, type PropertyValue, secretOf, unknown } from './value.ts'
import {
  containsSecret,
  containsUnknown,
  dependenciesOf,
  downgradeOutputs,
  redactMap,
  restoreSecretMarks,
  stripSecretsInMap,
  stripSecrets,
} from './special-values.ts'
import { signatureKey as sig, signatures } from './wire-options.ts'

const map = (fields: Record<string, PropertyValue>): PropertyMap => new Map(Object.entries(fields))
const urn = (name: string): Urn => `urn:pulumi:dev::p::a:b:C::${name}` as Urn
const output = (fields: Partial<Output>): Output => ({
  kind: 'output',
  secret: false,
  dependencies: [],
  ...fields,
})

describe('inspecting and converting values', () => {
  test('finds secrets and unknowns at any depth', () => {
    expect(containsSecret([map({ a: secretOf(1) })])).toBe(true)
    expect(containsSecret(output({ secret: true, value: 1 }))).toBe(true)
    expect(containsSecret(map({ a: [1, unknown] }))).toBe(false)
    expect(containsUnknown(secretOf([unknown]))).toBe(true)
    expect(containsUnknown(output({}))).toBe(true)
    expect(containsUnknown(output({ value: 1 }))).toBe(false)
  })

  test('removes all wrappers, and shares unchanged values', () => {
    const plain = map({ a: [1] })
    expect(stripSecretsInMap(plain)).toBe(plain)
    const value = [secretOf([secretOf(1)]), output({}), output({ value: secretOf(plain) })]
    expect(stripSecrets(value)).toEqual([[1], unknown, plain])
  })

  test('collects the dependencies of outputs, once each', () => {
    const value = [
      output({ value: output({ dependencies: [urn('b'), urn('a')] }), dependencies: [urn('a')] }),
      secretOf(output({ dependencies: [urn('c')] })),
    ]
    expect([...dependenciesOf(value)].sort()).toEqual([urn('a'), urn('b'), urn('c')])
  })

  test('converts outputs to values that resources may have', () => {
    expect(
      downgradeOutputs(
        map({
          open: output({ value: 1 }),
          hidden: output({ value: [output({ value: 2, secret: true })], secret: true }),
          later: output({ secret: true }),
        }),
      ),
    ).toEqual(map({ open: 1, hidden: secretOf([secretOf(2)]), later: secretOf(unknown) }))
  })
})

describe('secret marks on results of a provider', () => {
  test('follow the names of the sent values through objects, but not lists', () => {
    const sent = map({ a: secretOf(1), b: map({ c: secretOf(1), d: 2 }), e: [secretOf(1)], f: 1 })
    const returned = map({ a: 1, b: map({ c: 1, d: 2 }), e: [1], f: 1, g: 1 })
    expect(restoreSecretMarks(sent, returned)).toEqual(
      map({ a: secretOf(1), b: map({ c: secretOf(1), d: 2 }), e: secretOf([1]), f: 1, g: 1 }),
    )
  })

  test('are not added twice and never removed', () => {
    const returned = map({ a: secretOf(1), b: secretOf(2) })
    expect(restoreSecretMarks(map({ a: secretOf(1), b: 1 }), returned)).toBe(returned)
  })
})

describe('values in events', () => {
  test("have redacted secrets in Pulumi's form", () => {
    const redacted = { [sig]: signatures.secret, ciphertext: '[secret]' }
    // Pulumi's text for an unknown value is the UUID of `c`.
    expect(
      redactMap(map({ a: [secretOf('x')], b: output({ value: 'x', secret: true }), c: unknown })),
    ).toEqual({ a: [redacted], b: redacted, c: '04da6b54-80e4-46f7-96ec-b56ff0331ba9' })
  })

  test('do not contain the text of assets', () => {
    const asset = { kind: 'asset', hash: 'h', source: { text: 'x' } } as const
    expect(
      redactMap(
        map({ a: { kind: 'archive', hash: 'g', source: { assets: new Map([['m', asset]]) } } }),
      ),
    ).toEqual({
      a: {
        [sig]: signatures.archive,
        hash: 'g',
        assets: { m: { [sig]: signatures.asset, hash: 'h', text: '<contents elided>' } },
      },
    })
  })
})

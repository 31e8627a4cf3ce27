import { expect, test } from 'vitest'
import type { Urn } from '../names/urn.ts'
import { createSymmetricCrypter } from '../secrets/symmetric-crypter.ts'
import type { PropertyValue } from '../values/value.ts'
import { decodeResource, encodeResource, storedFormOf } from './resource-codec.ts'
import { withPlainMaps } from './snapshot.fixture.ts'
import { createResourceState } from './resource.ts'
import { sealReusingCiphertexts } from './seal-reusing-ciphertexts.ts'

const crypter = createSymmetricCrypter(new Uint8Array(32).fill(3))
const secret = (value: PropertyValue): PropertyValue => ({ kind: 'secret', value })

const stateOf = (inputs: Readonly<Record<string, PropertyValue>>) =>
  createResourceState({
    urn: 'urn:pulumi:dev::site::a:b:C::x' as Urn,
    type: 'a:b:C',
    custom: true,
    inputs: new Map(Object.entries(inputs)),
    outputs: new Map([['list', [secret('one'), secret(new Map([['deep', secret('two')]]))]]]),
  })

const sealInputs = (inputs: Readonly<Record<string, PropertyValue>>) =>
  encodeResource(stateOf(inputs), plaintext => ({ ciphertext: crypter.encrypt(plaintext) }))

test('unchanged secrets keep their ciphertexts, and equal values at other paths get new ones', () => {
  const old = sealInputs({ kept: secret('k'), changed: secret('before'), moved: secret('m') })
  const next = stateOf({ kept: secret('k'), changed: secret('after'), elsewhere: secret('m') })
  const stored = sealReusingCiphertexts(next, old, crypter)
  expect(stored['outputs']).toEqual(old['outputs'])
  const [before, after] = [old['inputs'], stored['inputs']].map(
    fields => fields as Readonly<Record<string, { readonly ciphertext: string }>>,
  )
  expect(after?.['kept']).toEqual(before?.['kept'])
  expect(after?.['changed']?.ciphertext).not.toBe(before?.['changed']?.ciphertext)
  expect(after?.['elsewhere']?.ciphertext).not.toBe(before?.['moved']?.ciphertext)
  expect(withPlainMaps(decodeResource(stored, crypter.decrypt))).toEqual(next)
})

test('a decoded state remembers its stored form only if it has a ciphertext', () => {
  const old = sealInputs({ kept: secret('k') })
  expect(storedFormOf(decodeResource(old, crypter.decrypt))).toBe(old)
  const plain = { urn: old.urn, type: old.type, custom: true, inputs: { a: 'b' } }
  expect(storedFormOf(decodeResource(plain, crypter.decrypt))).toBeUndefined()
})

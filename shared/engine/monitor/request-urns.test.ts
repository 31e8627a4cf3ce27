import { expect, test } from 'vitest'
import { RegisterResourceRequest } from '../../../proto/gen/pulumi/resource.ts'
import { readEncodedParent } from './request-urns.ts'

const parent = 'urn:pulumi:dev::project::my:component:Type::parent'

function encode(fields: Partial<RegisterResourceRequest>): Uint8Array {
  return RegisterResourceRequest.encode(RegisterResourceRequest.create(fields)).finish()
}

test('readEncodedParent finds the parent before and after fields of all kinds', () => {
  const fields = { type: 'a:b:C', name: 'n', custom: true, object: { text: 'x', list: [1] } }
  expect(readEncodedParent(encode({ ...fields, parent }))).toBe(parent)
  const reordered = Buffer.concat([encode(fields), encode({ parent })])
  expect(readEncodedParent(reordered)).toBe(parent)
})

test('readEncodedParent returns an empty string without a parent', () => {
  expect(readEncodedParent(encode({ type: 'a:b:C', name: 'n' }))).toBe('')
  expect(readEncodedParent(new Uint8Array())).toBe('')
})

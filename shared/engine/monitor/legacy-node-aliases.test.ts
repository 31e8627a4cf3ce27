import { Metadata } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import type { Alias } from '../../../proto/gen/pulumi/alias.ts'
import { RegisterResourceRequest } from '../../../proto/gen/pulumi/resource.ts'
import { withPlainAliases } from './legacy-node-aliases.ts'

const spec = { name: 'n', type: '', stack: '', project: '' }
const alias = (parent: object | undefined): Alias =>
  ({ alias: { $case: 'spec', value: { ...spec, parent } } }) as Alias
const none = { $case: 'noParent', value: true }
const some = { $case: 'noParent', value: false }
const above = { $case: 'parentUrn', value: 'urn:pulumi:dev::p::a:b:C::k' }
const unnamed = { ...above, value: '' }

const node = { 'pulumi-runtime': 'nodejs' }
const python = { 'pulumi-runtime': 'python', 'user-agent': 'grpc-node-js/1' }
const agent = { 'user-agent': 'grpc-node-js/1.14.0' }
const others = { 'user-agent': 'grpc-go/1.70' }

test.each<[string, Record<string, string>, boolean, object | undefined, object | undefined]>([
  ['older Node: left out means none', node, false, undefined, none],
  ['older Node: none means the present one', node, false, none, undefined],
  ['older Node: an empty one means none', node, false, unnamed, none],
  ['older Node: one that is named', node, false, above, above],
  ['older Node: not none', node, false, some, some],
  ['known by its library', agent, false, undefined, none],
  ['present Node: left out', node, true, undefined, undefined],
  ['present Node: none', node, true, none, none],
  ['others: none', others, false, none, none],
  ['others: an empty one', others, false, unnamed, unnamed],
  ['others with the library of Node', python, false, undefined, undefined],
  ['who says nothing', {}, false, none, none],
])('aliases of SDKs, %s', (_what, headers, aliasSpecs, sentParent, expected) => {
  const metadata = new Metadata()
  for (const [key, value] of Object.entries(headers)) metadata.set(key, value)
  const request = RegisterResourceRequest.create({ aliasSpecs, aliases: [alias(sentParent)] })
  expect(withPlainAliases(request, metadata).aliases).toEqual([alias(expected)])
})

test('a URN stays, and without metadata nothing changes', () => {
  const urn: Alias = { alias: { $case: 'urn', value: above.value } }
  const metadata = new Metadata()
  metadata.set('pulumi-runtime', 'nodejs')
  const request = RegisterResourceRequest.create({ aliases: [urn] })
  expect(withPlainAliases(request, metadata).aliases).toEqual([urn])
  expect(withPlainAliases(request, undefined)).toBe(request)
})

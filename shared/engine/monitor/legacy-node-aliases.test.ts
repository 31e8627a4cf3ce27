import { Metadata } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import type { Alias } from '../../../proto/gen/pulumi/alias.ts'
import { RegisterResourceRequest } from '../../../proto/gen/pulumi/resource.ts'
import { convertLegacyAliases } from './legacy-node-aliases.ts'

const spec = { name: 'n', type: '', stack: '', project: '' }
const aliasOf = (parent: object | undefined): Alias =>
  ({ alias: { $case: 'spec', value: { ...spec, parent } } }) as Alias
const noParent = { $case: 'noParent', value: true }
const noParentFalse = { $case: 'noParent', value: false }
const parentAlias = { $case: 'parentUrn', value: 'urn:pulumi:dev::p::a:b:C::k' }
const emptyParent = { ...parentAlias, value: '' }

const node = { 'pulumi-runtime': 'nodejs' }
const python = { 'pulumi-runtime': 'python', 'user-agent': 'grpc-node-js/1' }
const nodeUserAgent = { 'user-agent': 'grpc-node-js/1.14.0' }
const otherClient = { 'user-agent': 'grpc-go/1.70' }

test.each<[string, Record<string, string>, boolean, object | undefined, object | undefined]>([
  ['older Node: an absent parent means no parent', node, false, undefined, noParent],
  ['older Node: no parent means the current parent', node, false, noParent, undefined],
  ['older Node: an empty parent means no parent', node, false, emptyParent, noParent],
  ['older Node: a named parent is unchanged', node, false, parentAlias, parentAlias],
  [
    'older Node: `noParent` with the value false is unchanged',
    node,
    false,
    noParentFalse,
    noParentFalse,
  ],
  [
    'older Node, recognized by its gRPC library: an absent parent means no parent',
    nodeUserAgent,
    false,
    undefined,
    noParent,
  ],
  ['current Node: an absent parent is unchanged', node, true, undefined, undefined],
  ['current Node: no parent is unchanged', node, true, noParent, noParent],
  ['other SDKs: no parent is unchanged', otherClient, false, noParent, noParent],
  ['other SDKs: an empty parent is unchanged', otherClient, false, emptyParent, emptyParent],
  [
    "other SDKs with Node's gRPC library: an absent parent is unchanged",
    python,
    false,
    undefined,
    undefined,
  ],
  ['an unknown SDK: no parent is unchanged', {}, false, noParent, noParent],
])('the parent of an alias: %s', (_what, headers, aliasSpecs, sentParent, expected) => {
  const metadata = new Metadata()
  for (const [key, value] of Object.entries(headers)) metadata.set(key, value)
  const request = RegisterResourceRequest.create({ aliasSpecs, aliases: [aliasOf(sentParent)] })
  expect(convertLegacyAliases(request, metadata).aliases).toEqual([aliasOf(expected)])
})

test('a URN alias is unchanged, and so is a request without metadata', () => {
  const urn: Alias = { alias: { $case: 'urn', value: parentAlias.value } }
  const metadata = new Metadata()
  metadata.set('pulumi-runtime', 'nodejs')
  const request = RegisterResourceRequest.create({ aliases: [urn] })
  expect(convertLegacyAliases(request, metadata).aliases).toEqual([urn])
  expect(convertLegacyAliases(request, undefined)).toBe(request)
})

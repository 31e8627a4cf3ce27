import { expect, test } from 'vitest'
import { parseImportFile } from './import-file.ts'
import { createInlineFile } from './inline-resource.ts'
import { resolveImports } from './resolve-imports.ts'

const options = {
  stack: 'dev',
  project: 'p',
  protect: true,
  seal: (value: object) => value as never,
}

const resolve = (value: object) =>
  resolveImports(parseImportFile(JSON.stringify(value), 'in.json'), options)

const createSpec = (name: string, more: object = {}): object => ({
  type: 'test:index:Thing',
  name,
  id: `id-${name}`,
  ...more,
})

const parameterization = { pluginName: 'base', pluginVersion: 'v2', value: 'YQ==' }
const extension = { name: 'more', version: '0.1.0', value: 'YQ==' }

test('names of the name table and of the file are resolved to URNs', () => {
  const prov = 'urn:pulumi:dev::p::pulumi:providers:test::prov'
  const { imports, names } = resolve({
    nameTable: { prov },
    resources: [
      createSpec('child', { parent: 'top', provider: 'prov', properties: ['v'] }),
      { type: 'case:index:Group', name: 'top', component: true },
    ],
  })
  expect(imports[0]).toMatchObject({
    parent: 'urn:pulumi:dev::p::case:index:Group::top',
    provider: prov,
    isChosen: true,
    protect: true,
    component: 'no',
  })
  expect(imports[1]).toMatchObject({ id: '', component: 'local' })
  expect([...names]).toEqual([
    [prov, 'prov'],
    ['urn:pulumi:dev::p::case:index:Group$test:index:Thing::child', 'child'],
    ['urn:pulumi:dev::p::case:index:Group::top', 'top'],
  ])
})

test('of two resources with one name, the second one has its type appended to its name in the program', () => {
  const { names } = resolve({
    resources: [createSpec('a'), { ...createSpec('a'), type: 'test:index:Other' }],
  })
  expect([...names.values()]).toEqual(['a', 'aOther'])
})

test('an entry of the name table precedes a resource of the file with the same name', () => {
  const parent = 'urn:pulumi:dev::p::case:index:Group::top'
  const provider = 'urn:pulumi:dev::p::pulumi:providers:test::prov'
  const { imports, names } = resolve({
    nameTable: { parent, provider },
    resources: [
      createSpec('parent', { parent: 'parent' }),
      createSpec('provider', { provider: 'provider' }),
    ],
  })
  expect(imports).toMatchObject([{ parent }, { provider }])
  expect([...names.values()]).toEqual(['parent', 'provider', 'parentThing', 'providerThing'])
})

test('a resource gets its logical name, and the program uses its name in the file', () => {
  const { imports, names } = resolve({ resources: [createSpec('a', { logicalName: 'long-name' })] })
  expect(imports[0]?.name).toBe('long-name')
  expect([...names]).toEqual([['urn:pulumi:dev::p::test:index:Thing::long-name', 'a']])
})

test.each([
  ['no type', [{ name: 'a', id: 'i' }], /resource 'a' has no type/],
  ['no name', [{ type: 't:i:T', id: 'i' }], /resource 'i' of type 't:i:T' has no name/],
  ['no id', [{ type: 't:i:T', name: 'a' }], /has no ID/],
  ['an id for a component', [createSpec('a', { component: true })], /is marked as a component/],
  [
    'remote, but no component',
    [createSpec('a', { remote: true })],
    /marked as remote, but not as a component/,
  ],
  [
    'an id for a provider',
    [createSpec('a', { type: 'pulumi:providers:t' })],
    /is created rather than read/,
  ],
  ['an unknown parent', [createSpec('a', { parent: 'x' })], /the parent 'x' for resource 'a'/],
  [
    'an unknown provider',
    [createSpec('a', { provider: 'x' })],
    /the provider 'x' for resource 'a'/,
  ],
  [
    'a provider of another type',
    [createSpec('a', { provider: 'b' }), createSpec('b')],
    /is not a provider/,
  ],
  ['one URN twice', [createSpec('a'), createSpec('a')], /ambiguous URN/],
  [
    'an ambiguous parent',
    [createSpec('a'), createSpec('a', { type: 't:i:U' }), createSpec('b', { parent: 'a' })],
    /ambiguous parent/,
  ],
  [
    'both parameterization and extension',
    [createSpec('a', { parameterization, extension })],
    /mutually exclusive/,
  ],
  ['a malformed version', [createSpec('a', { version: 'new' })], /could not parse version 'new'/],
  [
    'a malformed version of the base plugin',
    [createSpec('a', { parameterization: { ...parameterization, pluginVersion: '' } })],
    /could not parse parameterization version ''/,
  ],
  [
    'a resource as its own ancestor',
    [createSpec('a', { parent: 'b' }), createSpec('b', { parent: 'a' })],
    /its own ancestor/,
  ],
])('an invalid resource is reported: %s', (_case, resources, expected) => {
  expect(() => resolve({ resources })).toThrow(expected)
})

test('the package fields are copied, with complete versions', () => {
  const resources = [
    createSpec('a', { version: '1', parameterization }),
    createSpec('b', { extension }),
  ]
  const { imports } = resolve({ resources })
  expect(imports[0]).toMatchObject({
    version: '1.0.0',
    parameterization: { pluginName: 'base', pluginVersion: '2.0.0', value: 'YQ==' },
  })
  expect(imports[1]).toMatchObject({ version: '', extension })
})

test('all errors are reported together', () => {
  expect(() => resolve({ resources: [{ name: 'a' }, { name: 'b' }] })).toThrow(/'a'[^]*'b'/)
})

test.each([
  ['no JSON', '{', /could not read import file/],
  [
    'resources that are no list',
    '{"resources": 1}',
    /could not read import file: in.json: resources/,
  ],
  [
    'an extension that is not in base64',
    '{"resources": [{"extension":{"value":"%"}}]}',
    /resources.0.extension.value/,
  ],
])('an invalid file is refused: %s', (_case, text, expected) => {
  expect(() => parseImportFile(text, 'in.json')).toThrow(expected)
})

const createInline = (operands: readonly string[], parent?: string, provider?: string) =>
  createInlineFile({ operands, properties: [], parent, provider })
const urn = 'urn:pulumi:dev::p::case:index:Group::g'

test('one resource can be given on the command line', () => {
  const file = createInline(['t:i:T', 'a', 'id'], `g=${urn}`, `pr=${urn}2`)
  expect(file.nameTable).toEqual({ g: urn, pr: `${urn}2` })
  expect(file.resources).toMatchObject([
    { type: 't:i:T', name: 'a', id: 'id', parent: 'g', provider: 'pr' },
  ])
  expect(createInline(['t:i:T', 'a', 'id'], urn).nameTable).toEqual({ parent: urn })
})

test.each([
  [[], undefined, undefined, /missing type, name, and id/],
  [['t:i:T'], undefined, undefined, /missing name and id/],
  [['t:i:T', 'a'], undefined, undefined, /missing id/],
  [['t:i:T', 'a', 'b', 'c'], undefined, undefined, /at most three/],
  [['t:i:T', 'a', 'b'], 'g=nothing', undefined, /invalid parent URN: 'nothing'/],
  [['t:i:T', 'a', 'b'], undefined, `p=nothing::id`, /invalid provider URN/],
  [['t:i:T', 'a', 'b'], `x=${urn}`, `x=${urn}`, /must have distinct names/],
])(
  'an invalid command line is refused: operands %j, parent %s, provider %s',
  (operands, parent, provider, expected) => {
    expect(() => createInline(operands, parent, provider)).toThrow(expected)
  },
)

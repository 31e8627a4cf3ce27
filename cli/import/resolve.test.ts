import { expect, test } from 'vitest'
import { parseImportFile } from './import-file.ts'
import { inlineFile } from './inline.ts'
import { resolveImports } from './resolve.ts'

const about = { stack: 'dev', project: 'p', protect: true, seal: (value: object) => value as never }

const resolved = (value: object) =>
  resolveImports(parseImportFile(JSON.stringify(value), 'in.json'), about)

const thing = (name: string, more: object = {}): object => ({
  type: 'test:index:Thing',
  name,
  id: `id-${name}`,
  ...more,
})

const parameterization = { pluginName: 'base', pluginVersion: 'v2', value: 'YQ==' }
const extension = { name: 'more', version: '0.1.0', value: 'YQ==' }

test('names become URNs, those of the name table and those of the file', () => {
  const prov = 'urn:pulumi:dev::p::pulumi:providers:test::prov'
  const { imports, names } = resolved({
    nameTable: { prov },
    resources: [
      thing('child', { parent: 'top', provider: 'prov', properties: ['v'] }),
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

test('what has the name of another gets its type too in the program', () => {
  const { names } = resolved({
    resources: [thing('a'), { ...thing('a'), type: 'test:index:Other' }],
  })
  expect([...names.values()]).toEqual(['a', 'aOther'])
})

test('the logical name is that of the resource, the other that of the program', () => {
  const { imports, names } = resolved({ resources: [thing('a', { logicalName: 'long-name' })] })
  expect(imports[0]?.name).toBe('long-name')
  expect([...names]).toEqual([['urn:pulumi:dev::p::test:index:Thing::long-name', 'a']])
})

test.each([
  ['no type', [{ name: 'a', id: 'i' }], /resource 'a' has no type/],
  ['no name', [{ type: 't:i:T', id: 'i' }], /resource 'i' of type 't:i:T' has no name/],
  ['no id', [{ type: 't:i:T', name: 'a' }], /has no ID/],
  ['id of a component', [thing('a', { component: true })], /is marked as a component/],
  ['remote only', [thing('a', { remote: true })], /marked as remote, but not as a component/],
  ['id of a provider', [thing('a', { type: 'pulumi:providers:t' })], /is created rather than read/],
  ['parent unknown', [thing('a', { parent: 'x' })], /the parent 'x' for resource 'a'/],
  ['provider unknown', [thing('a', { provider: 'x' })], /the provider 'x' for resource 'a'/],
  ['no provider', [thing('a', { provider: 'b' }), thing('b')], /is not a provider/],
  ['one URN twice', [thing('a'), thing('a')], /ambiguous URN/],
  [
    'parent ambiguous',
    [thing('a'), thing('a', { type: 't:i:U' }), thing('b', { parent: 'a' })],
    /ambiguous parent/,
  ],
  ['both', [thing('a', { parameterization, extension })], /mutually exclusive/],
  ['version', [thing('a', { version: 'new' })], /could not parse version 'new'/],
  [
    'version of a plugin',
    [thing('a', { parameterization: { ...parameterization, pluginVersion: '' } })],
    /could not parse parameterization version ''/,
  ],
  ['below itself', [thing('a', { parent: 'b' }), thing('b', { parent: 'a' })], /below itself/],
])('a mistake is told: %s', (_case, resources, expected) => {
  expect(() => resolved({ resources })).toThrow(expected)
})

test('what a package is made of goes along, versions in full', () => {
  const resources = [thing('a', { version: '1', parameterization }), thing('b', { extension })]
  const { imports } = resolved({ resources })
  expect(imports[0]).toMatchObject({
    version: '1.0.0',
    parameterization: { pluginName: 'base', pluginVersion: '2.0.0', value: 'YQ==' },
  })
  expect(imports[1]).toMatchObject({ version: '', extension })
})

test('all mistakes are told at once', () => {
  expect(() => resolved({ resources: [{ name: 'a' }, { name: 'b' }] })).toThrow(/'a'[^]*'b'/)
})

test.each([
  ['no JSON', '{', /could not read import file/],
  ['no list', '{"resources": 1}', /could not read import file: in.json: resources/],
  ['bytes', '{"resources": [{"extension":{"value":"%"}}]}', /resources.0.extension.value/],
])('a file that is none is refused: %s', (_case, text, expected) => {
  expect(() => parseImportFile(text, 'in.json')).toThrow(expected)
})

const inline = (words: readonly string[], parent?: string, provider?: string) =>
  inlineFile({ words, properties: [], parent, provider })
const urn = 'urn:pulumi:dev::p::case:index:Group::g'

test('one resource may stand in the command line', () => {
  const file = inline(['t:i:T', 'a', 'id'], `g=${urn}`, `pr=${urn}2`)
  expect(file.nameTable).toEqual({ g: urn, pr: `${urn}2` })
  expect(file.resources).toMatchObject([
    { type: 't:i:T', name: 'a', id: 'id', parent: 'g', provider: 'pr' },
  ])
  expect(inline(['t:i:T', 'a', 'id'], urn).nameTable).toEqual({ parent: urn })
})

test.each([
  [[], undefined, undefined, /missing type, name, and id/],
  [['t:i:T'], undefined, undefined, /missing name and id/],
  [['t:i:T', 'a'], undefined, undefined, /missing id/],
  [['t:i:T', 'a', 'b', 'c'], undefined, undefined, /at most three/],
  [['t:i:T', 'a', 'b'], 'g=nothing', undefined, /invalid parent URN: 'nothing'/],
  [['t:i:T', 'a', 'b'], undefined, `p=nothing::id`, /invalid provider URN/],
  [['t:i:T', 'a', 'b'], `x=${urn}`, `x=${urn}`, /must have distinct names/],
])('a command line that is none is refused: %#', (words, parent, provider, expected) => {
  expect(() => inline(words, parent, provider)).toThrow(expected)
})

import { transformSync } from 'esbuild'
import { parse } from 'yaml'
import { expect, test } from 'vitest'
import type { Urn } from '../../shared/names/urn.ts'
import { type ResourceState, createResourceState } from '../../shared/state/resource.ts'
import type { PropertyValue } from '../../shared/values/value.ts'
import { renderTypescriptProgram, toVariableName } from './typescript-program.ts'
import { renderYamlProgram } from './yaml-program.ts'

const stack = 'urn:pulumi:dev::p::pulumi:pulumi:Stack::p-dev' as Urn
const explicitProvider = 'urn:pulumi:dev::p::pulumi:providers:test::given' as Urn
const defaultProvider = 'urn:pulumi:dev::p::pulumi:providers:test::default' as Urn

function createState(
  type: string,
  name: string,
  inputs: Record<string, PropertyValue>,
  more: Partial<ResourceState> = {},
): ResourceState {
  return createResourceState({
    urn: `urn:pulumi:dev::p::${type}::${name}` as Urn,
    type,
    custom: true,
    id: `id-of-${name}`,
    parent: stack,
    provider: `${defaultProvider}::1`,
    inputs: new Map(Object.entries(inputs)),
    protect: true,
    ...more,
  })
}

const top = createState('case:index:Group', 'made', {}, { custom: false, provider: '', id: '' })
const thing = createState(
  'test:s3/bucket:Bucket',
  'my-thing.x',
  {
    list: [1, 'two', true],
    map: new Map<string, PropertyValue>([
      ['a-b', null],
      ['plain', new Map()],
    ]),
    hidden: { kind: 'secret', value: 'word' },
    text: 'say "${hi}"',
    file: { kind: 'asset', hash: '', source: { path: './f' } },
  },
  { parent: top.urn, provider: `${explicitProvider}::2` },
)
const user = createState('test:index:User', 'class', { of: 'id-of-my-thing.x' }, { protect: false })
const states = [user, thing, top]
const names = new Map<Urn, string>([
  [explicitProvider, 'prov'],
  [user.urn, 'class'],
  [thing.urn, 'my-thing.x'],
  [top.urn, 'made'],
])

test("a program in TypeScript has Pulumi's layout, and is valid", () => {
  const text = renderTypescriptProgram(states, names)
  expect(text).toBe(`import * as pulumi from "@pulumi/pulumi";
import * as test from "@pulumi/test";

const made = new pulumi.ComponentResource("case:index:Group", "made", {}, {
    protect: true,
});

const my_thing_x = new test.s3.Bucket("my-thing.x", {
    file: new pulumi.asset.FileAsset("./f"),
    hidden: pulumi.secret("word"),
    list: [
        1,
        "two",
        true,
    ],
    map: {
        "a-b": null,
        plain: {},
    },
    text: "say \\"\${hi}\\"",
}, {
    parent: made,
    provider: prov,
    protect: true,
});

const _class = new test.User("class", {
    of: my_thing_x.id,
});
`)
  expect(() => transformSync(text, { loader: 'ts' })).not.toThrow()
})

test('a program in YAML has the same custom resources, and mentions components in a comment', () => {
  const text = renderYamlProgram(states, names)
  expect(text).toMatch(/^# made: components of type case:index:Group/)
  expect(parse(text)).toEqual({
    resources: {
      class: { type: 'test:User', properties: { of: '${my-thing_x.id}' } },
      'my-thing_x': {
        type: 'test:s3:Bucket',
        name: 'my-thing.x',
        properties: {
          file: { 'fn::fileAsset': './f' },
          hidden: { 'fn::secret': 'word' },
          list: [1, 'two', true],
          map: { 'a-b': null, plain: {} },
          text: 'say "$${hi}"',
        },
        options: { parent: '${made}', provider: '${prov}', protect: true },
      },
    },
  })
})

test.each([
  ['plain', 'plain'],
  ['my-bucket', 'my_bucket'],
  ['1st', '_1st'],
  ['delete', '_delete'],
  ['größe', 'größe'],
])('the variable for a resource with the name %s is %s', (name, expected) => {
  expect(toVariableName(name)).toBe(expected)
})

test('names that result in the same variable, or in that of a package, get different variables', () => {
  const [a, b] = [createState('test:i:T', 'a-b', {}), createState('test:i:T', 'a_b', {})]
  const [c, d] = [createState('test:i:T', 'test', {}), createState('test:i:T', 'pulumi', {})]
  const text = renderTypescriptProgram([a, b, c, d], new Map())
  expect(text.match(/^const \w+/gm)).toEqual([
    ...['const a_b', 'const a_b2', 'const test2', 'const pulumi2'],
  ])
})

test('a program omits the lists of defaulted properties at every level', () => {
  const inner = new Map<string, PropertyValue>([
    ['__defaults', ['size']],
    ['size', 1],
  ])
  const onlyDefaults = new Map<string, PropertyValue>([['__defaults', []]])
  const bucket = createState(
    'test:i:T',
    'a',
    { __defaults: [], inner, list: [inner], onlyDefaults },
    { protect: false },
  )
  const properties = { inner: { size: 1 }, list: [{ size: 1 }], onlyDefaults: {} }
  expect(parse(renderYamlProgram([bucket], new Map()))).toEqual({
    resources: { a: { type: 'test:i:T', properties } },
  })
  const text = renderTypescriptProgram([bucket], new Map())
  expect(text).not.toContain('__defaults')
  expect(text).toContain('onlyDefaults: {},')
})

test.each<[string, PropertyValue]>([
  ['a secret', { kind: 'secret', value: ['id-of-owner'] }],
  ['an output', { kind: 'output', value: 'id-of-owner', secret: false, dependencies: [] }],
])('a program declares a resource before the one that refers to it in %s', (_case, value) => {
  const owner = createState('test:i:T', 'owner', {})
  const text = renderTypescriptProgram(
    [createState('test:i:T', 'user', { value }), owner],
    new Map(),
  )
  expect(text.match(/^const \w+/gm)).toEqual(['const owner', 'const user'])
  expect(text).toContain('owner.id')
})

test('a resource refers neither to itself nor to a resource that shares its value with another one', () => {
  const a = createState('test:i:T', 'a', { own: 'id-of-a', both: 'same' }, createOutputs('same'))
  const b = createState('test:i:T', 'b', { both: 'same' }, createOutputs('same'))
  const text = renderTypescriptProgram([a, b], new Map())
  expect(text).not.toMatch(/\b[ab]\.(id|name)/)
})

function createOutputs(name: string): Partial<ResourceState> {
  return { outputs: new Map([['name', name]]) }
}

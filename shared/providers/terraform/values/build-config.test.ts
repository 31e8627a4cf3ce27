import { expect, test } from 'vitest'
import { hasCode } from '../../../errors/error.ts'
import type { PropertyValue } from '../../../values/value.ts'
import { secretOf, unknown } from '../../../values/value.ts'
import { type BuiltConfig, buildConfig } from './build-config.ts'
import { createConfigError } from './config-problem.ts'
import { formatCtyPath } from './cty-path.ts'
import { encodeCtyJson } from './encode-json.ts'
import type { AttributeSchema, BlockSchema, NestedBlockSchema } from './schema.ts'
import { impliedTypeOf } from './schema.ts'
import {
  createBlock,
  createNestedAttribute,
  createNestedBlock,
  createPlainAttribute,
} from './schema.fixture.ts'
import { conformsTo } from './conformance.ts'
import { replaceUnknowns, unknownPathsOf } from './walk-value.ts'

type Plain = PropertyValue | readonly Plain[] | { readonly [key: string]: Plain }

/** Turns plain objects into maps. */
function toInput(plain: Plain): PropertyValue {
  if (Array.isArray(plain)) return plain.map(toInput)
  if (typeof plain !== 'object' || plain === null || plain instanceof Map || 'kind' in plain)
    return plain as PropertyValue
  return new Map(
    Object.entries(plain as Record<string, Plain>).map(([key, item]) => [key, toInput(item)]),
  )
}

const build = (block: BlockSchema, input: Plain): BuiltConfig => {
  const built = buildConfig(block, toInput(input))
  expect(conformsTo(built.value.type, impliedTypeOf(block))).toBe(true)
  return built
}

const problemsOf = ({ problems }: BuiltConfig): readonly string[] =>
  problems.map(({ path, message }) => `${formatCtyPath(path)}: ${message}`)

/** Builds an attribute, and returns its JSON or its problems. */
function convert(type: string, input: Plain): unknown {
  const block = createBlock({ a: createPlainAttribute('o', type) })
  const built = build(block, { a: input })
  if (built.problems.length > 0) return problemsOf(built)
  return JSON.parse(encodeCtyJson(built.value, impliedTypeOf(block))).a
}

test.each<[string, Plain, unknown]>([
  ['"string"', 12, '12'],
  ['"string"', 1e21, '1000000000000000000000'],
  ['"string"', 0.1, '0.1'],
  ['"string"', true, 'true'],
  ['"string"', null, null],
  ['"string"', [], ['a: string is required']],
  ['"string"', Number.NaN, ['a: string is required']],
  ['"number"', 1.5, 1.5],
  ['"number"', '12.50', 12.5],
  ['"number"', '', null],
  ['"number"', ' ', ['a: number is required']],
  ['"number"', true, ['a: number is required']],
  ['"bool"', 'true', true],
  ['"bool"', '1', true],
  ['"bool"', 'false', false],
  ['"bool"', '0', false],
  ['"bool"', 'True', ['a: bool is required']],
  ['"bool"', 1, ['a: bool is required']],
  ['["list","string"]', ['b', 1, null], ['b', '1', null]],
  ['["list","string"]', 'b', ['a: list of string is required']],
  ['["set","string"]', ['b', 'a', 'b'], ['a', 'b']],
  ['["map","number"]', { x: '1', y: 2 }, { x: 1, y: 2 }],
  ['["map","number"]', { x: 'a' }, ['a["x"]: number is required']],
  ['["tuple",["string","bool"]]', ['x', true], ['x', true]],
  ['["tuple",["string","bool"]]', ['x'], ['a: 2 elements are required']],
  ['["object",{"x":"string","y":"bool"}]', { x: 1, z: 2 }, { x: '1', y: null }],
  ['["object",{"x":"string"}]', [], ['a: object is required']],
  ['"dynamic"', 'x', { value: 'x', type: 'string' }],
  ['"dynamic"', null, null],
  [
    '"dynamic"',
    { x: [1, 'b', null] },
    {
      value: { x: [1, 'b', null] },
      type: ['object', { x: ['tuple', ['number', 'string', 'dynamic']] }],
    },
  ],
  [
    '["list","dynamic"]',
    ['x', null],
    [
      { value: 'x', type: 'string' },
      { value: null, type: 'string' },
    ],
  ],
  [
    '["list","dynamic"]',
    ['x', 1],
    [
      { value: 'x', type: 'string' },
      { value: '1', type: 'string' },
    ],
  ],
  ['["list","dynamic"]', [1, true], ['a: all elements must have the same type']],
  ['["list","dynamic"]', ['x', []], ['a: all elements must have the same type']],
  ['["map","dynamic"]', { x: true, y: [] }, ['a: all elements must have the same type']],
])('an attribute of type %s with the input %o has the result %j', (type, input, result) => {
  expect(convert(type, input)).toEqual(result)
})

const outputOfNull: PropertyValue = { kind: 'output', value: null, secret: false, dependencies: [] }

test.each<[string, Plain, readonly string[]]>([
  ['a secret null', secretOf(null), ['a: a value is required']],
  ['an output of null', outputOfNull, ['a: a value is required']],
  ['an unknown value', unknown, []],
  ['a list', [], ['a: number is required']],
])('%s for a required attribute has the problems %j', (_, input, problems) => {
  const block = createBlock({ a: createPlainAttribute('r', '"number"') })
  expect(problemsOf(build(block, { a: input }))).toEqual(problems)
})

test('all problems are collected, and become one error', () => {
  const block = createBlock(
    {
      name: createPlainAttribute('r'),
      size: createPlainAttribute('o', '"number"'),
      id: createPlainAttribute('c'),
      nested: createNestedAttribute('o', 'list', {
        x: createPlainAttribute('r'),
        y: createPlainAttribute('c'),
      }),
    },
    {
      rule: createNestedBlock(
        'list',
        createBlock({ port: createPlainAttribute('r', '"number"') }),
        {
          minItems: 1,
          maxItems: 2,
        },
      ),
      one: createNestedBlock('single', createBlock({ a: createPlainAttribute('r') }), {
        minItems: 1,
        maxItems: 1,
      }),
    },
  )
  const built = build(block, {
    size: 'big',
    id: 'mine',
    nested: [{ y: 'b' }, 5],
    rule: [{ port: 1 }, {}, { port: null, extra: 1 }],
    other: 1,
  })
  expect(problemsOf(built).toSorted()).toEqual([
    'id: only the provider sets the value',
    'name: a value is required',
    'nested[0].x: a value is required',
    'nested[0].y: only the provider sets the value',
    'nested[1]: an object is required',
    'one: a block is required',
    "other: the property 'other' is not supported",
    'rule: at most 2 blocks are allowed',
    'rule[1].port: a value is required',
    "rule[2].extra: the property 'extra' is not supported",
    'rule[2].port: a value is required',
    'size: number is required',
  ])
  const thrown = createConfigError("'web' (test_thing)", built.problems)
  expect(hasCode(thrown, 'TERRAFORM_CONFIG_INVALID')).toBe(true)
  expect(thrown.message).toContain("the configuration of 'web' (test_thing) is invalid: ")
  expect(thrown.message).toContain("a value is required at 'rule[1].port'")
})

const inner = createBlock({ x: createPlainAttribute('o') })
const wrap = (nested: NestedBlockSchema): BlockSchema => createBlock({}, { b: nested })

test.each<[NestedBlockSchema['nesting'], Plain, string]>([
  ['single', null, '{"b":null}'],
  ['group', null, '{"b":{"x":null}}'],
  ['list', null, '{"b":[]}'],
  ['set', null, '{"b":[]}'],
  ['map', null, '{"b":{}}'],
  ['single', { x: 'a' }, '{"b":{"x":"a"}}'],
  ['group', {}, '{"b":{"x":null}}'],
  ['list', [{ x: 'b' }, { x: 'a' }], '{"b":[{"x":"b"},{"x":"a"}]}'],
  ['set', [{ x: 'b' }, { x: 'a' }, { x: 'b' }], '{"b":[{"x":"a"},{"x":"b"}]}'],
  ['map', { k: { x: 'a' } }, '{"b":{"k":{"x":"a"}}}'],
])('a %s block is built from %o', (nesting, input, text) => {
  const { value, problems } = build(wrap(createNestedBlock(nesting, inner)), { b: input })
  expect(problems).toEqual([])
  expect(encodeCtyJson(value, value.type)).toBe(text)
})

test.each<[NestedBlockSchema['nesting'], Plain, string]>([
  ['single', 'a', 'b: an object is required'],
  ['list', { x: 'a' }, 'b: a list of blocks is required'],
  ['list', [null], 'b[0]: an object is required'],
  ['map', [], 'b: a map of blocks is required'],
])('a %s block refuses %o', (nesting, input, problem) => {
  expect(problemsOf(build(wrap(createNestedBlock(nesting, inner)), { b: input }))).toEqual([
    problem,
  ])
})

test('a nested attribute is null unless the input sets it', () => {
  const attributes: Record<string, AttributeSchema> = Object.fromEntries(
    (['single', 'list', 'set', 'map'] as const).map(nesting => [
      nesting,
      createNestedAttribute('o', nesting, { x: createPlainAttribute('oc') }),
    ]),
  )
  const block = createBlock(attributes)
  expect(encodeCtyJson(build(block, {}).value, impliedTypeOf(block))).toBe(
    '{"list":null,"map":null,"set":null,"single":null}',
  )
  const { value } = build(block, { single: { z: 1 }, list: [], set: [{}, {}], map: { k: null } })
  expect(encodeCtyJson(value, impliedTypeOf(block))).toBe(
    '{"list":[],"map":{"k":null},"set":[{"x":null}],"single":{"x":null}}',
  )
  expect(problemsOf(build(block, { single: [], list: {}, map: 1 }))).toEqual([
    'list: a list is required',
    'map: a map is required',
    'single: an object is required',
  ])
})

test('unknown inputs are unknown parts, and the number of blocks is then not checked', () => {
  const block = createBlock(
    {
      a: createPlainAttribute('r'),
      n: createNestedAttribute('o', 'list', { x: createPlainAttribute('o') }),
    },
    {
      rule: createNestedBlock('list', inner, { minItems: 3 }),
      one: createNestedBlock('single', inner, { minItems: 1, maxItems: 1 }),
    },
  )
  const built = build(block, { a: unknown, n: [unknown], rule: [{ x: unknown }], one: unknown })
  expect(built.problems).toEqual([])
  expect(unknownPathsOf(built.value).map(formatCtyPath)).toEqual(['a', 'n[0]', 'one', 'rule[0].x'])
  expect(build(block, { a: 'x', rule: unknown, one: {} }).problems).toEqual([])
  expect(build(block, unknown).value.kind).toBe('unknown')
  expect(problemsOf(build(block, { a: 'x', rule: [{}], one: {} }))).toEqual([
    'rule: at least 3 blocks are required',
  ])
})

test('an unknown block of a list is a block of unknown parts', () => {
  const rule = createBlock(
    { x: createPlainAttribute('o'), id: createPlainAttribute('c') },
    { deep: createNestedBlock('list', inner) },
  )
  const block = createBlock({}, { rule: createNestedBlock('list', rule, { maxItems: 1 }) })
  const { value, problems } = build(block, { rule: [unknown, {}] })
  expect(problems).toEqual([])
  expect(unknownPathsOf(value).map(formatCtyPath)).toEqual(['rule[0].deep', 'rule[0].x'])
})

test('the paths of secrets are returned beside the value, and a secret in a set marks the whole set', () => {
  const block = createBlock(
    {
      a: createPlainAttribute('o'),
      tags: createPlainAttribute('o', '["map","string"]'),
      set: createPlainAttribute('o', '["set","string"]'),
    },
    { rule: createNestedBlock('set', inner), list: createNestedBlock('list', inner) },
  )
  const secret = secretOf('s')
  const output: PropertyValue = { kind: 'output', value: 'o', secret: true, dependencies: [] }
  const built = build(block, {
    a: output,
    tags: { k: secret },
    set: ['x', secret],
    rule: [{ x: secret }],
    list: [{ x: secret }, {}],
  })
  expect(built.sensitivePaths.map(formatCtyPath).toSorted()).toEqual([
    'a',
    'list[0].x',
    'rule',
    'set',
    'tags["k"]',
  ])
  expect(encodeCtyJson(built.value, built.value.type)).toContain('"a":"o"')
})

test('an output without a value is unknown, a reference is its id, and bytes are a problem', () => {
  const block = createBlock({ a: createPlainAttribute('o') })
  const buildPart = (a: PropertyValue): string => {
    const { value, problems } = build(block, { a })
    return problems[0]?.message ?? encodeCtyJson(replaceUnknowns(value), value.type)
  }
  const urn = 'urn:pulumi:dev::shop::a:b:C::other' as never
  expect(buildPart({ kind: 'output', secret: false, dependencies: [] })).toBe('{"a":null}')
  expect(buildPart({ kind: 'reference', urn, packageVersion: '', id: 'i' })).toBe('{"a":"i"}')
  expect(buildPart({ kind: 'reference', urn, packageVersion: '', id: unknown })).toBe('{"a":null}')
  expect(buildPart({ kind: 'bytes', base64: '' })).toBe('a value of kind bytes is not supported')
})

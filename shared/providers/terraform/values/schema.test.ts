import { expect, test } from 'vitest'
import { readAttributePath } from './attribute-path.ts'
import { formatCtyPath } from './cty-path.ts'
import type { CtyValue } from './cty-value.ts'
import { emptyBlockOf, emptyObjectOf } from './empty-block.ts'
import { encodeCtyJson } from './encode-json.ts'
import { encodeMsgpack } from './encode-msgpack.ts'
import { buildConfig } from './build-config.ts'
import { type BlockSchema, impliedTypeOf, typeOfNestedBlock } from './schema.ts'
import {
  createBlock,
  createNestedAttribute,
  createNestedBlock,
  createPlainAttribute,
} from './schema.fixture.ts'
import {
  areEqualSensitivePaths,
  mergeSensitivePaths,
  listSensitivePaths,
} from './sensitive-paths.ts'
import { formatTypeJson, parseTypeJson } from './type-json.ts'
import { findSchemaFlaws, validateSchema } from './validate-schema.ts'

const inner = createBlock({ a: createPlainAttribute('o') })
const free = createBlock({ a: createPlainAttribute('o', '"dynamic"') })
const nestings = ['single', 'group', 'list', 'set', 'map'] as const

const toJson = (value: CtyValue): string => encodeCtyJson(value, value.type)

test('the type of a block follows from attributes, nested attributes and blocks', () => {
  const nested = Object.fromEntries(
    (['single', 'list', 'set', 'map'] as const).map(nesting => [
      `n_${nesting}`,
      createNestedAttribute('o', nesting, { x: createPlainAttribute('o', '"bool"') }),
    ]),
  )
  const blocks = Object.fromEntries(
    nestings.map(nesting => [`b_${nesting}`, createNestedBlock(nesting, inner)]),
  )
  const object = '["object",{"a":"string"}]'
  const x = '["object",{"x":"bool"}]'
  expect(
    formatTypeJson(
      impliedTypeOf(createBlock({ id: createPlainAttribute('c'), ...nested }, blocks)),
    ),
  ).toBe(
    `["object",{"b_group":${object},"b_list":["list",${object}],"b_map":["map",${object}],` +
      `"b_set":["set",${object}],"b_single":${object},"id":"string","n_list":["list",${x}],` +
      `"n_map":["map",${x}],"n_set":["set",${x}],"n_single":${x}}]`,
  )
})

test('the type of a list or map of blocks with dynamic parts is dynamic', () => {
  expect(typeOfNestedBlock(createNestedBlock('list', free)).kind).toBe('dynamic')
  expect(typeOfNestedBlock(createNestedBlock('map', free)).kind).toBe('dynamic')
  expect(typeOfNestedBlock(createNestedBlock('single', free)).kind).toBe('object')
})

test('a missing block has the empty value of its nesting', () => {
  const outer = createBlock(
    { b: createPlainAttribute('o') },
    { list: createNestedBlock('list', inner) },
  )
  const texts = nestings.map(nesting => toJson(emptyBlockOf(createNestedBlock(nesting, outer))))
  expect(texts).toEqual(['null', '{"b":null,"list":[]}', '[]', '[]', '{}'])
  expect(toJson(emptyBlockOf(createNestedBlock('list', free)))).toBe('[]')
  expect(emptyBlockOf(createNestedBlock('list', free)).kind).toBe('tuple')
  expect(emptyBlockOf(createNestedBlock('map', free)).kind).toBe('object')
  expect(toJson(emptyObjectOf(createBlock({}, { g: createNestedBlock('group', outer) })))).toBe(
    '{"g":{"b":null,"list":[]}}',
  )
})

test('a list block with a dynamic attribute is sent with its type', () => {
  const block = createBlock({}, { rule: createNestedBlock('list', free) })
  const { value } = buildConfig(block, new Map([['rule', [new Map([['a', 'x']])]]]))
  const bytes = Buffer.from(encodeMsgpack(value, impliedTypeOf(block))).toString('latin1')
  expect(bytes).toContain('\x92\xc4')
  expect(bytes).toContain('["tuple",[["object",{"a":"string"}]]]')
})

test.each<[string, BlockSchema]>([
  [
    'an attribute is neither required nor optional nor computed',
    createBlock({ a: createPlainAttribute('') }),
  ],
  [
    'a required attribute is also optional or computed',
    createBlock({ a: createPlainAttribute('rc') }),
  ],
  ['a write-only attribute is also computed', createBlock({ a: createPlainAttribute('ocw') })],
  [
    'the name of an attribute is also the name of a block',
    createBlock({ a: createPlainAttribute('o') }, { a: createNestedBlock('list', inner) }),
  ],
  [
    'the name of a block has other characters',
    createBlock({}, { A: createNestedBlock('list', inner) }),
  ],
  [
    'a single block has a limit above 1 block',
    createBlock({}, { a: createNestedBlock('single', inner, { maxItems: 2 }) }),
  ],
  [
    'a group block has a limit of its number of blocks',
    createBlock({}, { a: createNestedBlock('group', inner, { minItems: 1 }) }),
  ],
  [
    'a map block has a limit of its number of blocks',
    createBlock({}, { a: createNestedBlock('map', inner, { maxItems: 1 }) }),
  ],
  [
    'the smallest number of blocks exceeds the largest',
    createBlock({}, { a: createNestedBlock('list', inner, { minItems: 2, maxItems: 1 }) }),
  ],
  [
    'a limit of the number of blocks is negative',
    createBlock({}, { a: createNestedBlock('list', inner, { minItems: -1 }) }),
  ],
  [
    'a set block has a part of dynamic type',
    createBlock({}, { a: createNestedBlock('set', free) }),
  ],
  [
    'a set of objects has a part of dynamic type',
    createBlock({
      a: createNestedAttribute('o', 'set', { b: createPlainAttribute('o', '"dynamic"') }),
    }),
  ],
  [
    "an attribute is neither required nor optional nor computed at 'a.b'",
    createBlock({ a: createNestedAttribute('o', 'list', { b: createPlainAttribute('') }) }),
  ],
  [
    "a write-only attribute is also computed at 'a.b'",
    createBlock(
      {},
      { a: createNestedBlock('list', createBlock({ b: createPlainAttribute('cw') })) },
    ),
  ],
])('a schema is invalid when %s', (reason, block) => {
  expect(findSchemaFlaws(block)).toEqual([expect.stringContaining(reason)])
  expect(() => validateSchema(block, 'test_thing')).toThrow(/schema of test_thing is invalid/)
})

test('a schema without flaws is valid', () => {
  const block = createBlock(
    { a: createPlainAttribute('oc'), 'odd-name': createPlainAttribute('rw') },
    { b: createNestedBlock('list', inner, { minItems: 3 }) },
  )
  expect(() => validateSchema(block, 'test_thing')).not.toThrow()
})

test('readAttributePath reads the path of a provider according to a type, and ends it at a set', () => {
  const type = parseTypeJson(
    '["object",{"m":["map","string"],"s":["set",["object",{"x":"string"}]],"l":["list",["object",{"x":"dynamic"}]]}]',
  )
  const attributeStepOf = (name: string) => ({ kind: 'attribute', name }) as const
  const keyStepOf = (text: string) => ({ kind: 'key', key: text }) as const
  const index = { kind: 'index', index: 1 } as const
  const read = (...steps: Parameters<typeof readAttributePath>[0]): string =>
    formatCtyPath(readAttributePath(steps, type))
  expect(read(attributeStepOf('l'), index, attributeStepOf('x'))).toBe('l[1].x')
  expect(read(keyStepOf('l'), index, keyStepOf('x'), keyStepOf('free'), index)).toBe(
    'l[1].x["free"][1]',
  )
  expect(read(attributeStepOf('m'), attributeStepOf('k'))).toBe('m["k"]')
  expect(read(attributeStepOf('s'), index, attributeStepOf('x'))).toBe('s')
})

test('sensitive parts of a schema are marked at each occurrence', () => {
  const secret = { pw: createPlainAttribute('os'), x: createPlainAttribute('o') }
  const block = createBlock(
    {
      key: createPlainAttribute('os'),
      plain: createPlainAttribute('o'),
      one: createNestedAttribute('o', 'single', secret),
      many: createNestedAttribute('o', 'map', secret),
    },
    {
      list: createNestedBlock('list', createBlock(secret)),
      set: createNestedBlock('set', createBlock(secret)),
      group: createNestedBlock('group', createBlock(secret)),
    },
  )
  const item = new Map([['pw', 'x']])
  const { value } = buildConfig(
    block,
    new Map<string, never>(
      Object.entries({
        one: item,
        many: new Map([['k', item]]),
        list: [item, item],
        set: [item],
      }) as never,
    ),
  )
  expect(listSensitivePaths(block, value).map(formatCtyPath).toSorted()).toEqual([
    'group.pw',
    'key',
    'list[0].pw',
    'list[1].pw',
    'many["k"].pw',
    'one.pw',
    'set',
  ])
})

test('sets of sensitive paths are merged and compared, without the paths below others', () => {
  const pathOf = (...names: string[]) => names.map(name => ({ kind: 'attribute', name }) as const)
  expect(mergeSensitivePaths([pathOf('a', 'b')], [pathOf('a'), pathOf('c')])).toEqual([
    pathOf('a'),
    pathOf('c'),
  ])
  expect(
    areEqualSensitivePaths(
      [pathOf('a'), pathOf('c')],
      [pathOf('c'), pathOf('a'), pathOf('a', 'b')],
    ),
  ).toBe(true)
  expect(areEqualSensitivePaths([pathOf('a')], [pathOf('c')])).toBe(false)
})

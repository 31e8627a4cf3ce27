import { expect, test } from 'vitest'
import {
  createBlock,
  createNestedAttribute,
  createNestedBlock,
  createPlainAttribute,
} from '../values/schema.fixture.ts'
import type { BlockSchema } from '../values/schema.ts'
import { type PlainValue, createPlanObject, toPlain } from './objects.fixture.ts'
import { planUnknown, proposeNew } from './proposed-new.ts'

const inner = createBlock({
  a: createPlainAttribute('o'),
  c: createPlainAttribute('oc'),
  id: createPlainAttribute('c'),
})
const innerNested = {
  a: createPlainAttribute('o'),
  c: createPlainAttribute('oc'),
  id: createPlainAttribute('c'),
}
const free = createBlock({
  any: createPlainAttribute('o', '"dynamic"'),
  id: createPlainAttribute('c'),
})

const propose = (block: BlockSchema, prior: PlainValue, config: PlainValue): PlainValue =>
  toPlain(proposeNew(block, createPlanObject(block, prior), createPlanObject(block, config)))

const block = createBlock({
  req: createPlainAttribute('r'),
  opt: createPlainAttribute('o'),
  comp: createPlainAttribute('c'),
  both: createPlainAttribute('oc'),
})

test.each<[string, PlainValue, PlainValue, PlainValue]>([
  ['it is null without a prior object and a configuration', null, null, null],
  ['an unknown configuration keeps the prior value', { opt: 'p' }, '?', { opt: 'p' }],
  ['a null configuration keeps the prior value', { opt: 'p' }, null, { opt: 'p' }],
  ['a new object has null for computed attributes', null, { req: 'a' }, { req: 'a' }],
  [
    'computed attributes keep the prior value',
    { comp: 'p', both: 'q' },
    { req: 'a' },
    { req: 'a', comp: 'p', both: 'q' },
  ],
  ['a removed optional attribute is null', { opt: 'p' }, {}, {}],
  [
    'the configuration overrides the prior value',
    { both: 'p', opt: 'p' },
    { both: 'c', opt: '?' },
    { both: 'c', opt: '?' },
  ],
])('the proposed object: %s', (_name, prior, config, proposed) => {
  expect(propose(block, prior, config)).toEqual(proposed)
})

test('blocks of each nesting keep the computed attributes of their prior blocks', () => {
  const outerBlockOf = (nesting: 'single' | 'group' | 'list' | 'set' | 'map'): BlockSchema =>
    createBlock({}, { b: createNestedBlock(nesting, inner) })
  const prior = { a: 'x', id: 'i' }
  for (const nesting of ['single', 'group'] as const) {
    expect(propose(outerBlockOf(nesting), { b: prior }, { b: { a: 'y' } })).toEqual({
      b: { a: 'y', id: 'i' },
    })
    expect(propose(outerBlockOf(nesting), null, { b: { a: 'y' } })).toEqual({ b: { a: 'y' } })
    expect(propose(outerBlockOf(nesting), { b: prior }, { b: '?' })).toEqual({ b: '?' })
  }
  expect(propose(outerBlockOf('single'), { b: prior }, {})).toEqual({})
  expect(propose(outerBlockOf('group'), { b: prior }, {})).toEqual({ b: { id: 'i' } })
  expect(propose(outerBlockOf('list'), { b: [prior] }, { b: [{ a: 'y' }, { a: 'z' }] })).toEqual({
    b: [{ a: 'y', id: 'i' }, { a: 'z' }],
  })
  expect(propose(outerBlockOf('list'), { b: [prior] }, { b: '?' })).toEqual({ b: '?' })
  expect(propose(outerBlockOf('list'), { b: [prior] }, {})).toEqual({ b: [] })
  expect(
    propose(outerBlockOf('map'), { b: { k: prior, gone: prior } }, { b: { k: {}, new: {} } }),
  ).toEqual({
    b: { k: { id: 'i' }, new: {} },
  })
})

test('blocks with dynamic parts stay tuples and objects', () => {
  const outer = createBlock(
    {},
    { l: createNestedBlock('list', free), m: createNestedBlock('map', free) },
  )
  const prior = { l: [{ any: 'x', id: 'i' }], m: { k: { any: 'x', id: 'i' } } }
  const config = createPlanObject(outer, { l: [{ any: 1 }], m: { k: { any: true }, n: {} } })
  const proposed = proposeNew(outer, createPlanObject(outer, prior), config)
  expect(toPlain(proposed)).toEqual({
    l: [{ any: 1, id: 'i' }],
    m: { k: { any: true, id: 'i' }, n: {} },
  })
  expect(
    proposed.kind === 'object' && [...proposed.entries.values()].map(({ kind }) => kind),
  ).toEqual(['tuple', 'object'])
})

test.each<[string, readonly PlainValue[], readonly PlainValue[], readonly PlainValue[]]>([
  ['an equal element', [{ a: 'x' }], [{ a: 'x' }], [{ a: 'x' }]],
  ['a computed part', [{ a: 'x', id: 'i' }], [{ a: 'x' }], [{ a: 'x', id: 'i' }]],
  [
    'an optional and computed part',
    [{ a: 'x', c: 'd', id: 'i' }],
    [{ a: 'x' }],
    [{ a: 'x', c: 'd', id: 'i' }],
  ],
  [
    'a configured computed part',
    [{ a: 'x', c: 'd', id: 'i' }],
    [{ a: 'x', c: 'e' }],
    [{ a: 'x', c: 'e' }],
  ],
  ['another argument', [{ a: 'x', id: 'i' }], [{ a: 'y' }], [{ a: 'y' }]],
  [
    'a prior element, which is used at most once',
    [{ a: 'x', id: 'i' }],
    [{ a: 'x' }, { a: 'x', c: 'e' }],
    [
      { a: 'x', c: 'e' },
      { a: 'x', id: 'i' },
    ],
  ],
  ['a removed argument', [{ a: 'x', id: 'i' }], [{ c: 'd' }], [{ c: 'd' }]],
  ['a null argument', [{ a: 'x', id: 'i' }], [{}], [{}]],
  [
    'one of two candidates',
    [{ a: 'x', c: 'e', id: 'i' }],
    [{ a: 'x' }, { a: 'x', c: 'e' }],
    [{ a: 'x' }, { a: 'x', c: 'e', id: 'i' }],
  ],
  ['no element', [{ a: 'x' }], [], []],
])('the correlation of set elements covers %s', (_name, prior, config, proposed) => {
  const outer = createBlock({}, { b: createNestedBlock('set', inner) })
  const sortKeyOf = (plain: PlainValue): string => JSON.stringify(plain)
  const { b } = propose(outer, { b: prior }, { b: config }) as { b: readonly PlainValue[] }
  expect(b.map(sortKeyOf).toSorted()).toEqual(proposed.map(sortKeyOf).toSorted())
  const nested = createBlock({ b: createNestedAttribute('o', 'set', innerNested) })
  const result = propose(nested, { b: prior }, { b: config }) as { b: readonly PlainValue[] }
  expect(result.b.map(sortKeyOf).toSorted()).toEqual(proposed.map(sortKeyOf).toSorted())
})

test('a set element is correlated only if the sets within it are equal as a whole', () => {
  const element = createBlock({
    tags: createPlainAttribute('o', '["set","string"]'),
    one: createNestedAttribute('o', 'single', innerNested),
    id: createPlainAttribute('c'),
  })
  const outer = createBlock({}, { b: createNestedBlock('set', element) })
  const prior = { b: [{ tags: ['x'], one: { a: 'n', id: 'j' }, id: 'i' }] }
  expect(propose(outer, prior, { b: [{ tags: ['x'], one: { a: 'n' } }] })).toEqual(prior)
  expect(propose(outer, prior, { b: [{ tags: ['y'], one: { a: 'n' } }] })).toEqual({
    b: [{ tags: ['y'], one: { a: 'n' } }],
  })
  expect(propose(outer, prior, { b: [{ tags: ['x'] }] })).toEqual({ b: [{ tags: ['x'] }] })
})

test("a computed set that is not configured breaks the correlation, as in Terraform's core", () => {
  const element = createBlock({
    a: createPlainAttribute('o'),
    tags: createPlainAttribute('c', '["set","string"]'),
    list: createPlainAttribute('c', '["list","string"]'),
  })
  const outer = createBlock({}, { b: createNestedBlock('set', element) })
  expect(propose(outer, { b: [{ a: 'x', list: ['y'] }] }, { b: [{ a: 'x' }] })).toEqual({
    b: [{ a: 'x', list: ['y'] }],
  })
  expect(propose(outer, { b: [{ a: 'x', tags: ['y'] }] }, { b: [{ a: 'x' }] })).toEqual({
    b: [{ a: 'x' }],
  })
})

test('nested attributes of each nesting keep computed parts', () => {
  const outerBlockOf = (nesting: 'single' | 'list' | 'map'): BlockSchema =>
    createBlock({ n: createNestedAttribute('o', nesting, innerNested) })
  const prior = { a: 'x', id: 'i' }
  expect(propose(outerBlockOf('single'), { n: prior }, { n: { a: 'y' } })).toEqual({
    n: { a: 'y', id: 'i' },
  })
  expect(propose(outerBlockOf('single'), { n: prior }, {})).toEqual({})
  expect(propose(outerBlockOf('single'), { n: prior }, { n: '?' })).toEqual({ n: '?' })
  expect(propose(outerBlockOf('list'), { n: [prior] }, { n: [{}, {}] })).toEqual({
    n: [{ id: 'i' }, {}],
  })
  expect(propose(outerBlockOf('map'), { n: { k: prior } }, { n: { k: {}, l: null } })).toEqual({
    n: { k: { id: 'i' }, l: null },
  })
})

test('an optional and computed object is dropped if it has a value that only a configuration can set', () => {
  const outerBlockOf = (letters: string): BlockSchema =>
    createBlock({ n: createNestedAttribute(letters, 'single', innerNested) })
  expect(propose(outerBlockOf('oc'), { n: { id: 'i' } }, {})).toEqual({ n: { id: 'i' } })
  expect(propose(outerBlockOf('oc'), { n: { c: 'd' } }, {})).toEqual({ n: { c: 'd' } })
  expect(propose(outerBlockOf('oc'), { n: { a: 'x', id: 'i' } }, {})).toEqual({})
  expect(propose(outerBlockOf('c'), { n: { a: 'x', id: 'i' } }, {})).toEqual({
    n: { a: 'x', id: 'i' },
  })
})

test('the placeholder of an object has unknown computed attributes, except in maps and sets', () => {
  const outer = createBlock(
    {
      arg: createPlainAttribute('o'),
      id: createPlainAttribute('c'),
      n: createNestedAttribute('o', 'single', innerNested),
    },
    {
      one: createNestedBlock('single', inner),
      list: createNestedBlock('list', inner),
      map: createNestedBlock('map', inner),
      set: createNestedBlock('set', inner),
    },
  )
  const config = { arg: 'x', n: { a: 'y' }, one: {}, list: [{}], map: { k: {} }, set: [{ a: 'z' }] }
  expect(toPlain(planUnknown(outer, createPlanObject(outer, config)))).toEqual({
    arg: 'x',
    id: '?',
    n: { a: 'y', c: '?', id: '?' },
    one: { c: '?', id: '?' },
    list: [{ c: '?', id: '?' }],
    map: { k: {} },
    set: [{ a: 'z' }],
  })
})

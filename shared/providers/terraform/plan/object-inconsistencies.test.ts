import { expect, test } from 'vitest'
import { createAttributeStep, createIndexStep, createKeyStep } from '../values/cty-path.ts'
import { formatCtyPath } from '../values/cty-path.ts'
import { objectOf } from '../values/build-value.ts'
import { type CtyValue, stringOf } from '../values/cty-value.ts'
import {
  createBlock,
  createNestedAttribute,
  createNestedBlock,
  createPlainAttribute,
} from '../values/schema.fixture.ts'
import type { NestedBlockSchema } from '../values/schema.ts'
import { stringType } from '../values/type-system.ts'
import { unknownOf } from '../values/unknown-value.ts'
import { normalizeBlocks } from './normalize-blocks.ts'
import { findInconsistencies } from './object-inconsistencies.ts'
import { type PlainValue, describeFlaws, createPlanObject, toPlain } from './objects.fixture.ts'
import { filterReplacePaths } from './replace-paths.ts'

test.each<[string, string, PlainValue, PlainValue, readonly string[]]>([
  ['equal texts', '"string"', 'a', 'a', []],
  ['other texts', '"string"', 'a', 'b', ['v: the value has changed']],
  ['unknown becomes known', '"string"', '?', 'b', []],
  ['unknown becomes null', '"string"', '?', null, []],
  ['unknown stays unknown', '"string"', '?', '?', []],
  ['known becomes unknown', '"string"', 'a', '?', ['v: was known, but is now unknown']],
  ['null becomes a value', '"string"', null, 'a', ['v: was null, but now has a value']],
  ['a value becomes null', '"string"', 'a', null, ['v: was planned, but is now null']],
  ['a dynamic unknown', '"dynamic"', '?', [1], []],
  [
    'a type that changes',
    '"dynamic"',
    'a',
    1,
    ['v: the type has changed: string is required, but got number'],
  ],
  ['a list', '["list","string"]', ['a', '?'], ['a', 'b'], []],
  ['a shorter list', '["list","string"]', ['a', 'b'], ['a'], ['v[1]: an element has vanished']],
  ['a longer list', '["list","string"]', ['a'], ['a', 'b'], ['v[1]: an element has appeared']],
  ['other elements', '["list","string"]', ['a', 'b'], ['b', 'b'], ['v[0]: the value has changed']],
  ['a map', '["map","string"]', { a: '?' }, { a: 'x' }, []],
  [
    'other keys',
    '["map","string"]',
    { a: 'x' },
    { b: 'x' },
    ['v["b"]: an element has appeared', 'v["a"]: an element has vanished'].toSorted(),
  ],
  [
    'a tuple',
    '["tuple",["string","bool"]]',
    ['a', true],
    ['a', false],
    ['v[1]: the value has changed'],
  ],
  [
    'an object',
    '["object",{"a":"string"}]',
    { a: 'x' },
    { a: 'y' },
    ['v.a: the value has changed'],
  ],
  ['a set', '["set","string"]', ['a', '?'], ['a', 'b'], []],
  ['a set that shrinks', '["set","string"]', ['a', '?'], ['a'], []],
  [
    'a set that grows',
    '["set","string"]',
    ['?'],
    ['a', 'b'],
    ['v: the set has more elements than were planned'],
  ],
  [
    'a set with other elements',
    '["set","string"]',
    ['a'],
    ['b'],
    ['v: a planned element has vanished', 'v: an element that was not planned has appeared'],
  ],
])('the inconsistencies of an attribute: %s', (_name, type, planned, actual, flaws) => {
  const block = createBlock({ v: createPlainAttribute('o', type) })
  const found = findInconsistencies(block, {
    planned: createPlanObject(block, { v: planned }),
    actual: createPlanObject(block, { v: actual }),
  })
  expect(describeFlaws(found).toSorted()).toEqual(flaws)
})

test('an unknown value must become a value within its refinements', () => {
  const block = createBlock({ v: createPlainAttribute('o') })
  const objectWithV = (value: CtyValue): CtyValue => objectOf([['v', value]])
  const compare = (value: CtyValue, actual: CtyValue): readonly string[] =>
    describeFlaws(
      findInconsistencies(block, { planned: objectWithV(value), actual: objectWithV(actual) }),
    )
  const refined = unknownOf(stringType, { isNotNull: true, prefix: 'arn:' })
  expect(compare(refined, stringOf('arn:x'))).toEqual([])
  expect(compare(refined, stringOf('x'))).toEqual([
    'v: the value is outside of the range that was planned',
  ])
})

const inner = createBlock({ a: createPlainAttribute('o'), id: createPlainAttribute('c') })

test.each<[string, NestedBlockSchema['nesting'], PlainValue, PlainValue, readonly string[]]>([
  ['presence', 'single', {}, null, ['b: was present, but is now absent']],
  ['absence', 'single', null, {}, ['b: was absent, but is now present']],
  ['an unknown number of blocks', 'single', '?', null, []],
  ['attributes', 'group', { a: 'x', id: '?' }, { a: 'y', id: 'i' }, ['b.a: the value has changed']],
  ['the number of blocks', 'list', [{}], [], ['b: the number of blocks changed from 1 to 0']],
  ['attributes', 'list', [{ a: 'x' }], [{ a: 'y' }], ['b[0].a: the value has changed']],
  ['an unknown number of blocks', 'list', '?', [{ a: 'y' }], []],
  ['null', 'list', [{}], null, []],
  ['keys', 'map', { k: {} }, {}, ['b["k"]: a block has vanished']],
  ['keys', 'map', {}, { k: {} }, ['b["k"]: a block has appeared']],
  ['an unknown number of blocks', 'map', '?', { k: {} }, []],
  ['attributes', 'map', { k: { a: 'x' } }, { k: { a: 'y' } }, ['b["k"].a: the value has changed']],
  ['computed attributes', 'set', [{ a: 'x', id: '?' }], [{ a: 'x', id: 'i' }], []],
  [
    'elements',
    'set',
    [{ a: 'x' }],
    [{ a: 'y' }],
    ['b: a planned element has vanished', 'b: an element that was not planned has appeared'],
  ],
  ['merged elements', 'set', [{ a: '?' }, { a: 'x' }], [{ a: 'x' }], []],
])('the comparison of blocks covers %s (nesting %s)', (_name, nesting, planned, actual, flaws) => {
  const block = createBlock({}, { b: createNestedBlock(nesting, inner) })
  const found = findInconsistencies(block, {
    planned: createPlanObject(block, { b: planned }),
    actual: createPlanObject(block, { b: actual }),
  })
  expect(describeFlaws(found)).toEqual(flaws)
})

test('the presence of the root object must not change', () => {
  const compare = (planned: PlainValue, actual: PlainValue): readonly string[] =>
    describeFlaws(
      findInconsistencies(inner, {
        planned: createPlanObject(inner, planned),
        actual: createPlanObject(inner, actual),
      }),
    )
  expect(compare({}, null)).toEqual([': was present, but is now absent'])
  expect(compare(null, {})).toEqual([': was absent, but is now present'])
  expect(compare(null, null)).toEqual([])
})

test('flaws of sensitive attributes are reported without details', () => {
  const block = createBlock({
    s: createPlainAttribute('os', '["map","string"]'),
    m: createPlainAttribute('o', '["map","string"]'),
  })
  const values = {
    planned: createPlanObject(block, { s: { k: 'x' }, m: { k: 'x' } }),
    actual: createPlanObject(block, { s: {}, m: {} }),
  }
  const messageWithoutDetails = 'inconsistent values for a sensitive attribute'
  expect(describeFlaws(findInconsistencies(block, values)).toSorted()).toEqual([
    'm["k"]: an element has vanished',
    `s: ${messageWithoutDetails}`,
  ])
  const sensitivePaths = [[createAttributeStep('m'), createKeyStep('k')]]
  expect(describeFlaws(findInconsistencies(block, values, sensitivePaths)).toSorted()).toEqual([
    `m: ${messageWithoutDetails}`,
    `s: ${messageWithoutDetails}`,
  ])
})

test('a replacement needs a change, a possible change or a write-only attribute', () => {
  const block = createBlock(
    {
      same: createPlainAttribute('o'),
      changed: createPlainAttribute('o'),
      unknown: createPlainAttribute('c'),
      wo: createPlainAttribute('ow'),
      list: createPlainAttribute('o', '["list","string"]'),
      n: createNestedAttribute('o', 'list', { wo: createPlainAttribute('ow') }),
    },
    {},
  )
  const prior = createPlanObject(block, {
    same: 'a',
    changed: 'a',
    unknown: 'a',
    list: ['a', 'b'],
    n: [{}],
  })
  const planned = createPlanObject(block, {
    same: 'a',
    changed: 'b',
    unknown: '?',
    list: ['a'],
    n: [{}],
  })
  const requested = [
    [createAttributeStep('same')],
    [createAttributeStep('changed')],
    [createAttributeStep('unknown')],
    [createAttributeStep('wo')],
    [createAttributeStep('list'), createIndexStep(0)],
    [createAttributeStep('list'), createIndexStep(1)],
    [createAttributeStep('list'), createIndexStep(2)],
    [createAttributeStep('n'), createIndexStep(0), createAttributeStep('wo')],
    [createAttributeStep('nowhere')],
  ]
  const { paths, flaws } = filterReplacePaths(block, { prior, planned }, requested)
  expect(paths.map(formatCtyPath)).toEqual(['changed', 'unknown', 'wo', 'list[1]', 'n[0].wo'])
  expect(describeFlaws(flaws)).toEqual([
    'list[2]: requires replacement for an attribute that does not exist',
    'nowhere: requires replacement for an attribute that does not exist',
  ])
  expect(
    filterReplacePaths(block, { prior: createPlanObject(block, null), planned }, requested),
  ).toEqual({ paths: [], flaws: [] })
})

test('null blocks of old providers become empty, and unknown blocks get unknown parts', () => {
  const deep = createBlock(
    { a: createPlainAttribute('o') },
    { list: createNestedBlock('list', inner) },
  )
  const free = createBlock({ any: createPlainAttribute('o', '"dynamic"') })
  const nestings = ['single', 'group', 'list', 'set', 'map'] as const
  const block = createBlock(
    { v: createPlainAttribute('o', '["list","string"]') },
    {
      ...Object.fromEntries(nestings.map(nesting => [nesting, createNestedBlock(nesting, deep)])),
      free: createNestedBlock('list', free),
    },
  )
  const normalize = (plain: PlainValue): PlainValue =>
    toPlain(normalizeBlocks(block, createPlanObject(block, plain)))
  const stub = { a: '?', list: [{ a: '?', id: '?' }] }
  const nulls = Object.fromEntries([...nestings, 'free'].map(nesting => [nesting, null]))
  const unknowns = Object.fromEntries([...nestings, 'free'].map(nesting => [nesting, '?']))
  expect(normalize(null)).toBeNull()
  expect(normalize(nulls)).toEqual({ group: { list: [] }, list: [], set: [] })
  expect(normalize(unknowns)).toEqual({
    single: stub,
    group: stub,
    list: [stub],
    set: [stub],
    map: '?',
    free: '?',
  })
  expect(
    normalize({ list: [{ list: null }], set: [{ a: 'x', list: null }], single: { list: null } }),
  ).toMatchObject({
    list: [{ list: [] }],
    set: [{ a: 'x', list: [] }],
    single: { list: [] },
  })
})

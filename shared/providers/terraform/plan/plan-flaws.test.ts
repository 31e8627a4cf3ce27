import { expect, test } from 'vitest'
import {
  createBlock,
  createNestedAttribute,
  createNestedBlock,
  createPlainAttribute,
} from '../values/schema.fixture.ts'
import type { BlockSchema, NestedBlockSchema } from '../values/schema.ts'
import { type PlainValue, describeFlaws, createPlanObject, toPlain } from './objects.fixture.ts'
import { findPlanFlaws } from './plan-flaws.ts'
import { findWriteOnlyPaths, removeWriteOnlyValues } from './write-only.ts'
import { formatCtyPath } from '../values/cty-path.ts'

/** The prior object, the configuration and the planned object of a case. */
type Values = readonly [PlainValue, PlainValue, PlainValue]

const describePlanFlaws = (
  block: BlockSchema,
  [prior, config, planned]: Values,
): readonly string[] =>
  describeFlaws(
    findPlanFlaws(block, {
      prior: createPlanObject(block, prior),
      config: createPlanObject(block, config),
      planned: createPlanObject(block, planned),
    }),
  )

const attributes = {
  opt: createPlainAttribute('o'),
  comp: createPlainAttribute('c'),
  both: createPlainAttribute('oc'),
  wo: createPlainAttribute('ow'),
}
const block = createBlock(attributes)
const notConfigured = 'a value is planned for an attribute that is not computed'
const notEqual = 'the planned value is not the configured one'

test.each<[string, Values, readonly string[]]>([
  [
    'no object where one is configured',
    [{}, {}, null],
    [': a configured value is planned as null'],
  ],
  [
    'an object where none is configured',
    [{}, null, {}],
    [': a value is planned, but the configured one is null'],
  ],
  ['no object where none is configured', [{}, null, null], []],
  ['the configured value', [null, { opt: 'a' }, { opt: 'a' }], []],
  ['an unknown value for an unknown one', [null, { opt: '?' }, { opt: '?' }], []],
  ['the prior value', [{ opt: 'A' }, { opt: 'a' }, { opt: 'A' }], []],
  [
    'the prior value without configuration',
    [{ opt: 'A' }, {}, { opt: 'A' }],
    [`opt: ${notConfigured}`],
  ],
  ['null in place of a configured value', [{}, { opt: 'a' }, {}], [`opt: ${notEqual}`]],
  ['any computed value', [{ comp: 'x' }, {}, { comp: 'y' }], []],
  ['an unknown computed value', [{ comp: 'x' }, {}, { comp: '?' }], []],
  ['a computed value against the configuration', [null, { comp: 'x' }, { comp: 'y' }], []],
  ['a default', [null, {}, { both: 'd' }], []],
  ['another value than configured', [null, { both: 'x' }, { both: 'y' }], [`both: ${notEqual}`]],
  [
    'a value that is neither the configured nor the prior one',
    [{ opt: 'p' }, { opt: 'c' }, { opt: 'x' }],
    ['opt: the planned value is neither the configured nor the prior one'],
  ],
  ['an unknown value for a known one', [null, { opt: 'c' }, { opt: '?' }], [`opt: ${notEqual}`]],
  ['a value that is not configured', [null, {}, { opt: 'x' }], [`opt: ${notConfigured}`]],
  ['null for a write-only value', [null, { wo: 's' }, {}], []],
  ['another write-only value', [null, { wo: 's' }, { wo: 't' }], [`wo: ${notEqual}`]],
])('the flaws of a plan of %s', (_name, values, flaws) => {
  expect(describePlanFlaws(block, values)).toEqual(flaws)
})

const blockWithNested = (nesting: 'single' | 'list' | 'set' | 'map'): BlockSchema =>
  createBlock({ n: createNestedAttribute('o', nesting, attributes) })
const plannedAsNull = 'a configured value is planned as null'
const wrongCount = 'the number of planned elements is not the configured one'

test.each<
  [
    string,
    'single' | 'list' | 'set' | 'map',
    readonly [PlainValue, PlainValue, PlainValue],
    readonly string[],
  ]
>([
  ['absence', 'single', [null, {}, null], [`n: ${plannedAsNull}`]],
  ['existence', 'single', [null, null, {}], [`n: ${notConfigured}`]],
  ['an unknown value', 'single', [null, {}, '?'], ['n: a configured value is planned as unknown']],
  [
    'its attributes',
    'single',
    [null, { opt: 'a' }, { opt: 'b', comp: 'c' }],
    [`n.opt: ${notEqual}`],
  ],
  ['prior attributes', 'single', [{ opt: 'A' }, { opt: 'a' }, { opt: 'A', comp: 'c' }], []],
  ['its attributes', 'list', [null, [{ opt: 'a' }], [{ opt: 'b' }]], [`n[0].opt: ${notEqual}`]],
  [
    'prior elements by index',
    'list',
    [[{ opt: 'A' }], [{ opt: 'a' }, { opt: 'a' }], [{ opt: 'A', comp: 'c' }, { opt: 'A' }]],
    [`n[1].opt: ${notEqual}`],
  ],
  ['its length', 'list', [null, [{}], [{}, {}]], [`n: ${wrongCount}`]],
  ['absent elements', 'list', [null, [{}], [null]], [`n[0]: ${plannedAsNull}`]],
  ['null elements', 'list', [null, [null, {}], [null, { comp: 'c' }]], []],
  [
    'its attributes',
    'map',
    [null, { k: { opt: 'a' } }, { k: { opt: 'b' } }],
    [`n["k"].opt: ${notEqual}`],
  ],
  [
    'prior elements by key',
    'map',
    [{ k: { opt: 'A' } }, { k: { opt: 'a' } }, { k: { opt: 'A', comp: 'c' } }],
    [],
  ],
  [
    'its keys',
    'map',
    [null, { k: {} }, { l: {} }],
    ['n["l"]: an element is planned that is not configured'],
  ],
  ['its length', 'map', [null, { k: {} }, {}], [`n: ${wrongCount}`]],
  [
    'its length',
    'set',
    [null, [{ opt: 'a' }, { opt: 'b' }], [{ opt: 'a', comp: 'c' }]],
    [`n: ${wrongCount}`],
  ],
  ['other elements', 'set', [null, [{ opt: 'a' }], [{ opt: 'b', comp: 'c' }]], []],
  [
    'elements that may merge',
    'set',
    [
      null,
      [{ opt: 'a' }],
      [
        { opt: 'a', comp: '?' },
        { opt: 'b', comp: '?' },
      ],
    ],
    [],
  ],
])(
  'the check of a plan with a nested attribute covers %s (nesting %s)',
  (_name, nesting, [prior, config, planned], flaws) => {
    expect(
      describePlanFlaws(blockWithNested(nesting), [{ n: prior }, { n: config }, { n: planned }]),
    ).toEqual(flaws)
  },
)

const unknownBlock = 'a block must not be unknown itself, only its attributes'

test.each<
  [
    string,
    NestedBlockSchema['nesting'],
    readonly [PlainValue, PlainValue, PlainValue],
    readonly string[],
  ]
>([
  ['unknown blocks', 'list', [[], '?', '?'], []],
  [
    'known blocks of an unknown number',
    'list',
    [[], '?', []],
    ['b: blocks must stay unknown while their number is unknown'],
  ],
  ['unknown in place of known blocks', 'list', [[], [], '?'], [`b: ${unknownBlock}`]],
  ['an unknown single block', 'single', [null, {}, '?'], [`b: ${unknownBlock}`]],
  [
    'attributes of a single block',
    'single',
    [null, { opt: 'a' }, { opt: 'b' }],
    [`b.opt: ${notEqual}`],
  ],
  ['absence of a single block', 'single', [null, {}, null], [`b: ${plannedAsNull}`]],
  ['attributes of a group', 'group', [{}, { opt: 'a' }, { opt: 'b' }], [`b.opt: ${notEqual}`]],
  [
    'null in place of no blocks',
    'list',
    [[], [], null],
    ['b: the plan has null instead of an empty collection of blocks'],
  ],
  [
    'null in place of a map',
    'map',
    [{}, {}, null],
    ['b: the plan has null instead of an empty collection of blocks'],
  ],
  [
    'null in place of a set',
    'set',
    [[], [], null],
    ['b: the plan has null instead of an empty collection of blocks'],
  ],
  ['a null configuration', 'list', [[], null, []], []],
  [
    'the number of blocks',
    'list',
    [[], [{}], [{}, {}]],
    ['b: 2 blocks are planned, but 1 are configured'],
  ],
  ['an unknown element', 'list', [[], [{ opt: 'a' }], ['?']], [`b[0]: ${unknownBlock}`]],
  [
    'the attributes of an element',
    'list',
    [[], [{}, { opt: 'a' }], [{ comp: 'c' }, { opt: 'b' }]],
    [`b[1].opt: ${notEqual}`],
  ],
  [
    'prior attributes by index',
    'list',
    [[{ opt: 'A' }], [{ opt: 'a' }], [{ opt: 'A', comp: 'c' }]],
    [],
  ],
  [
    'a superfluous key',
    'map',
    [{}, {}, { k: {} }],
    ['b["k"]: a block is planned that is not configured'],
  ],
  [
    'a missing key',
    'map',
    [{}, { k: {} }, {}],
    ['b["k"]: a block is configured that is not planned'],
  ],
  [
    'the attributes by key',
    'map',
    [{}, { k: { opt: 'a' } }, { k: { opt: 'b' } }],
    [`b["k"].opt: ${notEqual}`],
  ],
  [
    'an unknown block by key',
    'map',
    [{}, { k: { opt: 'a' } }, { k: '?' }],
    [`b["k"]: ${unknownBlock}`],
  ],
  [
    'an unknown element of a set',
    'set',
    [[], [{ opt: 'a' }], ['?']],
    [`b[set element]: ${unknownBlock}`],
  ],
  ['other elements of a set', 'set', [[], [{ opt: 'a' }], [{ opt: 'b' }, { opt: 'c' }]], []],
])(
  'the check of a plan with blocks covers %s (nesting %s)',
  (_name, nesting, [prior, config, planned], flaws) => {
    const outer = createBlock({}, { b: createNestedBlock(nesting, block) })
    expect(describePlanFlaws(outer, [{ b: prior }, { b: config }, { b: planned }])).toEqual(flaws)
  },
)

test('write-only values of a state are found in all parts of it, and removed', () => {
  const free = createBlock({
    wo: createPlainAttribute('ow', '"dynamic"'),
    opt: createPlainAttribute('o'),
  })
  const outer = createBlock(
    {
      wo: createPlainAttribute('ow', '["list","string"]'),
      n: createNestedAttribute('o', 'map', attributes),
    },
    { b: createNestedBlock('set', block), m: createNestedBlock('map', free) },
  )
  const value = createPlanObject(outer, {
    wo: ['s'],
    n: { k: { wo: 's', opt: 'o' } },
    b: [{ wo: 's' }],
    m: { opt: { wo: 's', opt: 'o' } },
  })
  expect(findWriteOnlyPaths(outer, value).map(formatCtyPath)).toEqual([
    'b[set element].wo',
    'm.opt.wo',
    'n["k"].wo',
    'wo',
  ])
  expect(toPlain(removeWriteOnlyValues(outer, value))).toEqual({
    n: { k: { opt: 'o' } },
    b: [{}],
    m: { opt: { opt: 'o' } },
  })
})

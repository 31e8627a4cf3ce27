import { expect, test } from 'vitest'
import {
  type CtyPath,
  createAttributeStep,
  createIndexStep,
  createKeyStep,
} from '../values/cty-path.ts'
import {
  createBlock,
  createNestedAttribute,
  createNestedBlock,
  createPlainAttribute,
} from '../values/schema.fixture.ts'
import { ignoreAllChanges, ignoreChangesAt } from './reset-ignored-attributes.ts'
import { type PlainValue, createPlanObject, toPlain } from './objects.fixture.ts'

const block = createBlock(
  {
    a: createPlainAttribute('o'),
    id: createPlainAttribute('c'),
    both: createPlainAttribute('oc'),
    tags: createPlainAttribute('o', '["map","string"]'),
    n: createNestedAttribute('o', 'list', {
      x: createPlainAttribute('o'),
      id: createPlainAttribute('c'),
    }),
  },
  { rule: createNestedBlock('list', createBlock({ port: createPlainAttribute('o') })) },
)

const ignore = (prior: PlainValue, config: PlainValue, ...paths: readonly CtyPath[]): PlainValue =>
  toPlain(
    ignoreChangesAt(
      { prior: createPlanObject(block, prior), config: createPlanObject(block, config) },
      paths,
    ),
  )

const pathOfTag = (key: string): CtyPath => [createAttributeStep('tags'), createKeyStep(key)]

test.each<[string, PlainValue, PlainValue, readonly CtyPath[], PlainValue]>([
  [
    'an attribute',
    { a: 'old' },
    { a: 'new', both: 'b' },
    [[createAttributeStep('a')]],
    { a: 'old', both: 'b', rule: [] },
  ],
  ['a removed attribute', { a: 'old' }, {}, [[createAttributeStep('a')]], { a: 'old', rule: [] }],
  ['an added attribute', {}, { a: 'new' }, [[createAttributeStep('a')]], { rule: [] }],
  [
    'an unknown attribute',
    { a: 'old' },
    { a: '?' },
    [[createAttributeStep('a')]],
    { a: 'old', rule: [] },
  ],
  [
    'a changed key',
    { tags: { k: 'old' } },
    { tags: { k: 'new', l: 'x' } },
    [pathOfTag('k')],
    { tags: { k: 'old', l: 'x' }, rule: [] },
  ],
  [
    'a removed key',
    { tags: { k: 'old' } },
    { tags: {} },
    [pathOfTag('k')],
    { tags: { k: 'old' }, rule: [] },
  ],
  ['an added key', { tags: {} }, { tags: { k: 'new' } }, [pathOfTag('k')], { tags: {}, rule: [] }],
  [
    'a key of a removed map',
    { tags: { k: 'old' } },
    {},
    [pathOfTag('k')],
    { tags: { k: 'old' }, rule: [] },
  ],
  ['a key that neither map has', { tags: { k: 'old' } }, {}, [pathOfTag('l')], { rule: [] }],
  [
    'an attribute of a block',
    { rule: [{ port: '1' }] },
    { rule: [{ port: '2' }, { port: '3' }] },
    [[createAttributeStep('rule'), createIndexStep(0), createAttributeStep('port')]],
    { rule: [{ port: '1' }, { port: '3' }] },
  ],
  [
    'an attribute of an added block, which stays',
    { rule: [] },
    { rule: [{ port: '2' }] },
    [[createAttributeStep('rule'), createIndexStep(0), createAttributeStep('port')]],
    { rule: [{ port: '2' }] },
  ],
  [
    'all blocks',
    { rule: [{ port: '1' }] },
    { rule: [] },
    [[createAttributeStep('rule')]],
    { rule: [{ port: '1' }] },
  ],
  [
    'an attribute of a new object, which stays',
    null,
    { a: 'new' },
    [[createAttributeStep('a')]],
    { a: 'new', rule: [] },
  ],
])('the reset of ignored paths covers %s', (_name, prior, config, paths, result) => {
  expect(ignore(prior, config, ...paths)).toEqual(result)
})

test('all changes are ignored, and attributes that only the provider sets are null', () => {
  const prior = { a: 'old', id: 'i', both: 'b', n: [{ x: 'y', id: 'j' }], rule: [{ port: '1' }] }
  const values = {
    prior: createPlanObject(block, prior),
    config: createPlanObject(block, { a: 'new' }),
  }
  expect(toPlain(ignoreAllChanges(block, values))).toEqual({
    a: 'old',
    both: 'b',
    n: [{ x: 'y' }],
    rule: [{ port: '1' }],
  })
  const created = { ...values, prior: createPlanObject(block, null) }
  expect(ignoreAllChanges(block, created)).toBe(created.config)
})

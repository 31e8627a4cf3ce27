import { expect, test } from 'vitest'
import { type PropertyMap, type PropertyValue, secretOf } from '../../../values/value.ts'
import { propertyNamesOf } from '../mapping/property-names.ts'
import {
  createBlock,
  createNestedAttribute,
  createNestedBlock,
  createPlainAttribute,
} from '../values/schema.fixture.ts'
import { markSensitiveInputs } from './sensitive-inputs.ts'

const secretText = { ...createPlainAttribute('o'), isSensitive: true }
const block = createBlock(
  {
    plain: createPlainAttribute('o'),
    token: secretText,
    pass_once: createPlainAttribute('ow'),
    logins: createNestedAttribute('o', 'map', { token: secretText }),
  },
  {
    rule: createNestedBlock('list', createBlock({ token: secretText })),
    single: { ...createNestedBlock('list', createBlock({ token: secretText })), maxItems: 1 },
  },
)

const mapOf = (entries: Readonly<Record<string, PropertyValue>>): PropertyMap =>
  new Map(Object.entries(entries))

const mark = (inputs: Readonly<Record<string, PropertyValue>>): PropertyMap =>
  markSensitiveInputs(block, propertyNamesOf(block), mapOf(inputs))

test.each<[string, string, PropertyValue, PropertyValue]>([
  ['an ordinary attribute', 'plain', 'x', 'x'],
  ['a sensitive attribute', 'token', 'x', secretOf('x')],
  ['a null of a sensitive attribute', 'token', null, null],
  ['a write-only attribute', 'passOnce', 'x', secretOf('x')],
  [
    'a nested attribute by its key',
    'logins',
    mapOf({ token: mapOf({ token: 'x' }) }),
    mapOf({ token: mapOf({ token: secretOf('x') }) }),
  ],
  [
    'blocks of a list',
    'rules',
    [mapOf({ token: 'x' }), mapOf({ other: 'y' })],
    [mapOf({ token: secretOf('x') }), mapOf({ other: 'y' })],
  ],
  ['a flattened block', 'single', mapOf({ token: 'x' }), mapOf({ token: secretOf('x') })],
  ['a property that the schema does not have', 'other', 'x', 'x'],
])('only sensitive and write-only values become secret: %s', (_name, property, value, marked) => {
  expect(mark({ [property]: value }).get(property)).toEqual(marked)
})

import { describe, expect, test } from 'vitest'
import type { PropertyValue } from '../../values/value.ts'
import { createUndescribedType } from './checked-schema.ts'
import { readPackageSchema } from './read-package-schema.ts'
import { createSampleInputs, createWrongValue } from './sample-inputs.ts'

const token = 'shop:index:Order'

function readSchemaOf(inputProperties: object, otherFields: object = {}) {
  const schema = {
    name: 'shop',
    resources: {
      [token]: { inputProperties, requiredInputs: Object.keys(inputProperties) },
    },
    ...otherFields,
  }
  return readPackageSchema(JSON.stringify(schema))
}

const sampleOf = (inputProperties: object, otherFields: object = {}) =>
  createSampleInputs(
    readSchemaOf(inputProperties, otherFields).types.get(token) ?? createUndescribedType(token),
    'label',
  )

describe('the schema of a package', () => {
  test.each<readonly [string, object, PropertyValue]>([
    ['string', { type: 'string' }, 'label'],
    ['number', { type: 'number' }, 1],
    ['integer', { type: 'integer' }, 1],
    ['boolean', { type: 'boolean' }, true],
    ['constant', { type: 'string', const: 'x' }, 'x'],
    ['any value', { $ref: 'pulumi.json#/Any' }, 'label'],
    ['list', { type: 'array', items: { type: 'number' } }, [1]],
    [
      'map',
      { type: 'object', additionalProperties: { type: 'boolean' } },
      new Map([['key', true]]),
    ],
    ['union', { oneOf: [{ type: 'number' }, { type: 'string' }] }, 1],
    ['enum', { $ref: '#/types/shop:index:Color' }, 'red'],
    ['object', { $ref: '#/types/shop:index:Item' }, new Map([['count', 1]])],
  ])('gives a sample of the type: %s', (_, property, sample) => {
    const types = {
      'shop:index:Color': { type: 'string', enum: [{ value: 'red' }, { value: 'blue' }] },
      'shop:index:Item': {
        properties: { count: { type: 'integer' }, note: { type: 'string' } },
        required: ['count'],
      },
    }
    expect(sampleOf({ value: property }, { types })?.get('value')).toEqual(sample)
  })

  test('gives no sample of assets, and of types that require themselves', () => {
    expect(sampleOf({ file: { $ref: 'pulumi.json#/Asset' } })).toBeUndefined()
    const node = { properties: { next: { $ref: '#/types/a' } }, required: ['next'] }
    expect(sampleOf({ node: { $ref: '#/types/a' } }, { types: { a: node } })).toBeUndefined()
  })

  test('has no type for a component, and gives samples of required properties only', () => {
    const schema = {
      name: 'shop',
      resources: {
        [token]: { inputProperties: { note: { type: 'string' } } },
        'shop:index:Group': { isComponent: true },
      },
    }
    const { types } = readPackageSchema(JSON.stringify(schema))
    expect([...types.keys()]).toEqual([token])
    expect(createSampleInputs(types.get(token) ?? createUndescribedType(token), 'x')).toEqual(
      new Map(),
    )
  })

  test('has wrong values for all types except any', () => {
    expect(createWrongValue({ kind: 'any' })).toBeUndefined()
    expect(createWrongValue({ kind: 'string' })).toEqual([expect.any(Map)])
    expect(createWrongValue({ kind: 'list', element: { kind: 'string' } })).toEqual(
      expect.any(String),
    )
  })

  test('names secret inputs and outputs', () => {
    const properties = { token: { type: 'string', secret: true } }
    const schema = {
      name: 'shop',
      resources: { [token]: { properties, inputProperties: properties } },
    }
    const type = readPackageSchema(JSON.stringify(schema)).types.get(token)
    expect(type?.secretOutputs).toEqual(['token'])
    expect(type?.inputs.get('token')?.isSecret).toBe(true)
  })

  test.each<readonly [string, string, RegExp]>([
    ['a text that is not JSON', 'no JSON', /^the schema is not JSON$/],
    ['an object without a name', '{}', /^name: /],
    [
      'a malformed token',
      '{"name": "shop", "resources": {"Order": {}}}',
      /^'Order' is not a token: package:module:Type$/,
    ],
    [
      'a required property that is not declared',
      `{"name": "shop", "resources": {"${token}": {"requiredInputs": ["a"]}}}`,
      /^'shop:index:Order' requires 'a', which it does not declare$/,
    ],
    [
      'a dangling reference',
      `{"name": "shop", "resources": {"${token}": {"properties": {"a": {"type": "array", "items": {"$ref": "#/types/x"}}}}}}`,
      /^'a' of 'shop:index:Order' refers to '#\/types\/x', which does not exist$/,
    ],
  ])('reports %s as a flaw', (_, text, flaw) => {
    expect(readPackageSchema(text).flaws).toEqual([expect.stringMatching(flaw)])
  })
})

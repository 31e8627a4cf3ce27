import { describe, expect, test } from 'vitest'
import { type PropertyMap, type PropertyValue, isSecret, secretOf } from '../../../values/value.ts'
import { stripSecrets } from '../../../values/special-values.ts'
import { createAttributeStep, createIndexStep, createKeyStep } from '../values/cty-path.ts'
import { formatBridgeMeta, readBridgeMeta } from './bridge-meta.ts'
import { digestOutputs } from './outputs-digest.ts'
import { type StoredObject, readStoredObject, writeStoredObject } from './stored-object.ts'

const mapOf = (object: Readonly<Record<string, PropertyValue>>): PropertyMap =>
  new Map(Object.entries(object))

const object: StoredObject = {
  typeName: 'gold_thing',
  schemaVersion: 2,
  stateJson: '{"big":18446744073709551615,"long":0.10000000000000000000001,"none":null}',
  privateData: new Uint8Array([0, 255, 1]),
  identityJson: '{"zone":"z1"}',
  identitySchemaVersion: 1,
  isTainted: true,
  sensitivePaths: [
    [createAttributeStep('rule'), createIndexStep(0), createAttributeStep('token')],
    [createAttributeStep('tags'), createKeyStep('a b')],
  ],
}
const plainObject: StoredObject = {
  typeName: 'gold_bare',
  schemaVersion: 0,
  stateJson: '{}',
  privateData: new Uint8Array(),
  isTainted: false,
  sensitivePaths: [],
}
const outputs = mapOf({ a: 'x', list: [1, mapOf({ key: 'k' })], id: 'a-1' })

test.each([
  ['all parts', object],
  ['no optional part', plainObject],
])('an object with %s is read as it was written', (_case, stored) => {
  const read = readStoredObject(writeStoredObject(outputs, stored))
  expect(read).toEqual({ ...stored, privateData: Buffer.from(stored.privateData) })
})

test('the record is a secret text, and the outputs stay', () => {
  const written = writeStoredObject(outputs, object)
  expect([...written.keys()]).toEqual(['a', 'list', 'id', '__meta', '__terraform'])
  const record = written.get('__terraform')
  const text = isSecret(record) ? record.value : undefined
  expect(JSON.parse(typeof text === 'string' ? text : '')).toMatchObject({
    type: 'gold_thing',
    schemaVersion: 2,
    private: 'AP8B',
    identity: { zone: 'z1' },
    identitySchemaVersion: 1,
    isTainted: true,
    sensitive: [
      [{ type: 'get_attr', value: 'rule' }, {}, {}],
      [{}, {}],
    ],
    outputsDigest: digestOutputs(outputs),
  })
})

test('a written record replaces an earlier one', () => {
  const first = writeStoredObject(outputs, object)
  const second = writeStoredObject(first, plainObject)
  expect(second.has('__meta')).toBe(false)
  expect(readStoredObject(second)?.typeName).toBe('gold_bare')
})

test('a record is read although its outputs became secret or changed their order', () => {
  const written = writeStoredObject(outputs, object)
  const unchangedOutputs: readonly PropertyMap[] = [
    new Map([...written].toReversed()),
    new Map(written).set('a', secretOf('x')),
    new Map(written).set('list', [secretOf(1), mapOf({ key: secretOf('k') })]),
    new Map(written).set('__other', 1),
    new Map(written).set('list', [1, mapOf({ none: null, key: 'k' })]),
    new Map(written).set('__terraform', stripSecrets(written.get('__terraform') ?? null)),
  ]
  expect(unchangedOutputs.map(readStoredObject).map(read => read?.typeName)).toEqual(
    unchangedOutputs.map(() => 'gold_thing'),
  )
})

test('a record is not read if its outputs were changed after it', () => {
  const written = writeStoredObject(outputs, object)
  const withoutOutput = new Map(written)
  withoutOutput.delete('a')
  const changedOutputs: readonly PropertyMap[] = [
    withoutOutput,
    new Map(written).set('a', 'y'),
    new Map(written).set('b', 'new'),
    new Map(written).set('list', [mapOf({ key: 'k' }), 1]),
    new Map(written).set('list', [1, mapOf({ key: 'k' }), null]),
    new Map(written).set('a', secretOf('y')),
  ]
  expect(changedOutputs.map(readStoredObject)).toEqual(changedOutputs.map(() => undefined))
})

describe('outputs without a valid record have no stored object', () => {
  const fields = {
    type: 'a',
    schemaVersion: 1,
    state: {},
    private: '',
    outputsDigest: digestOutputs(outputs),
  }
  const read = (record: PropertyValue) =>
    readStoredObject(new Map(outputs).set('__terraform', record))

  // Each case below differs from this record by one field.
  test('a record with all required fields is valid', () => {
    expect(read(JSON.stringify(fields))).toMatchObject({ typeName: 'a', schemaVersion: 1 })
  })

  test.each<PropertyValue>([null, 1, 'no JSON', '[]', '{}'])('the record is %j', record => {
    expect(read(record)).toBeUndefined()
  })

  test.each(Object.keys(fields))('the field %s is missing', name => {
    expect(read(JSON.stringify({ ...fields, [name]: undefined }))).toBeUndefined()
  })

  test.each([
    ['type', 1],
    ['schemaVersion', '1'],
    ['schemaVersion', 1.5],
    ['private', 1],
    ['outputsDigest', 'other'],
  ])('the field %s is %j', (name, value) => {
    expect(read(JSON.stringify({ ...fields, [name]: value }))).toBeUndefined()
  })

  test('the record is missing', () => {
    expect(readStoredObject(outputs)).toBeUndefined()
  })
})

test.each([
  [2, 'papa', '{"private_state":"cGFwYQ==","schema_version":"2"}'],
  [0, 'papa', '{"private_state":"cGFwYQ=="}'],
  [3, '', '{"schema_version":"3"}'],
])('the meta output of version %i with private data %j is %s', (schemaVersion, text, meta) => {
  const privateData = Buffer.from(text)
  expect(formatBridgeMeta({ schemaVersion, privateData })).toBe(meta)
  const read = readBridgeMeta(mapOf({ __meta: meta }))
  expect(read).toEqual({ schemaVersion, privateData })
  expect(readBridgeMeta(mapOf({ __meta: secretOf(meta) }))).toEqual(read)
})

test('without anything to store there is no meta output', () => {
  expect(formatBridgeMeta({ schemaVersion: 0, privateData: new Uint8Array() })).toBeUndefined()
})

test.each<[PropertyValue]>([
  [null],
  [1],
  ['no JSON'],
  ['[]'],
  ['{"schema_version":2,"private_state":1}'],
  ['{"schema_version":"-1"}'],
])('the malformed meta output %j is read like that of a new state', meta => {
  const empty = { schemaVersion: 0, privateData: Buffer.alloc(0) }
  expect(readBridgeMeta(mapOf({ __meta: meta }))).toEqual(empty)
})

import { describe, expect, test } from 'vitest'
import { type PropertyMap, type PropertyValue, secretOf } from '../../../values/value.ts'
import { nameResourceProperties } from '../mapping/resource-names.ts'
import { impliedTypeOf } from '../values/schema.ts'
import {
  createBlock,
  createNestedAttribute,
  createNestedBlock,
  createPlainAttribute,
} from '../values/schema.fixture.ts'
import { deriveInputs, updateInputs } from './inputs-after-read.ts'

const loginAttributes = { user: createPlainAttribute('o'), pass_once: createPlainAttribute('ow') }
const loginBlock = createBlock(loginAttributes)
const block = createBlock(
  {
    size: createPlainAttribute('o', '"number"'),
    state: createPlainAttribute('c'),
    token: createPlainAttribute('ow'),
    tags: createPlainAttribute('o', '["map","string"]'),
    account: createNestedAttribute('o', 'single', loginAttributes),
    accounts_by_name: createNestedAttribute('o', 'map', loginAttributes),
  },
  {
    login: createNestedBlock('list', loginBlock),
    owner: createNestedBlock('list', loginBlock, { maxItems: 1 }),
    pool: createNestedBlock(
      'single',
      createBlock({}, { login: createNestedBlock('list', loginBlock) }),
    ),
    rule: createNestedBlock('list', createBlock({ port: createPlainAttribute('o', '"number"') })),
  },
)
const context = { typeName: 'x_thing', providerName: 'x', prefix: 'x' }
const resource = {
  typeName: 'x_thing',
  block,
  type: impliedTypeOf(block),
  names: nameResourceProperties(block, context),
  version: 0,
  identity: undefined,
}

const mapOf = (entries: Readonly<Record<string, PropertyValue>>): PropertyMap =>
  new Map(Object.entries(entries))
const updateOne = (name: string, input: PropertyValue, output: PropertyValue): PropertyMap =>
  updateInputs(resource, { inputs: mapOf({ [name]: input }), outputs: mapOf({ [name]: output }) })

describe('updateInputs', () => {
  test('drops inputs without a current value, except those that states never contain', () => {
    const inputs = mapOf({ size: 1, token: secretOf('t'), __defaults: [], tags: mapOf({}) })
    const updated = updateInputs(resource, { inputs, outputs: mapOf({ state: 'up' }) })
    expect(updated).toEqual(mapOf({ token: secretOf('t'), __defaults: [] }))
  })

  test('keeps only the keys that the program set, and texts that equal the current value', () => {
    const input = mapOf({ a: '1', b: 'x', gone: 'y' })
    const updated = updateOne('tags', input, mapOf({ a: 1, b: 'z', added: 'w' }))
    expect(updated).toEqual(mapOf({ tags: mapOf({ a: '1', b: 'z' }) }))
  })

  // No read returns write-only values, so a refresh must keep those of the recorded inputs.
  const oldLogin = mapOf({ user: 'a', passOnce: secretOf('p') })
  const currentLogin = mapOf({ user: 'b' })
  const updatedLogin = mapOf({ user: 'b', passOnce: secretOf('p') })
  test.each<[string, string, (login: PropertyMap) => PropertyValue]>([
    ['a nested attribute', 'account', login => login],
    ['a map of nested attributes', 'accountsByName', login => mapOf({ passOnce: login })],
    ['a list of blocks', 'logins', login => [login]],
    ['a flattened block', 'owner', login => login],
    ['a block in a block', 'pool', login => mapOf({ logins: [login] })],
  ])('keeps the write-only values in %s, and updates the others', (_title, name, wrap) => {
    const updated = updateOne(name, wrap(oldLogin), wrap(currentLogin))
    expect(updated).toEqual(mapOf({ [name]: wrap(updatedLogin) }))
  })

  test('does not update a list with write-only values if its length has changed', () => {
    const updated = updateOne('logins', [oldLogin], [currentLogin, currentLogin])
    expect(updated).toEqual(mapOf({ logins: [oldLogin] }))
    const current = [mapOf({ port: 2 }), mapOf({ port: 3 })]
    expect(updateOne('rules', [mapOf({ port: 1 })], current)).toEqual(mapOf({ rules: current }))
  })
})

test('deriveInputs returns the outputs that a program can set', () => {
  const rules = [mapOf({ port: 1 })]
  const outputs = mapOf({ size: 1, state: 'up', rules, __meta: 'm' })
  expect(deriveInputs(resource, outputs)).toEqual(mapOf({ size: 1, rules }))
})

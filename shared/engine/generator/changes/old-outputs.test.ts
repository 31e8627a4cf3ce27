import { expect, test } from 'vitest'
import type { PropertyMap } from '../../../values/value.ts'
import { oldOutputsOf } from './old-outputs.ts'

const none: PropertyMap = new Map()
const some: PropertyMap = new Map([['a', 1]])
const inputs: PropertyMap = new Map([
  ['a', 2],
  ['__internal', 3],
])

test.each<[string, string, PropertyMap, PropertyMap, PropertyMap]>([
  ['the outputs of a provider, if it has any', 'pulumi:providers:p', inputs, some, some],
  [
    'the inputs of a provider without outputs',
    'pulumi:providers:p',
    inputs,
    none,
    new Map([['a', 2]]),
  ],
  ['empty for a provider without inputs and outputs', 'pulumi:providers:p', none, none, none],
  ['empty for a resource without outputs', 'p:m:T', inputs, none, none],
])('old outputs are %s', (_title, type, oldInputs, outputs, expected) => {
  expect(oldOutputsOf({ type, inputs: oldInputs, outputs })).toEqual(expected)
})

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
  ['a provider’s own', 'pulumi:providers:p', inputs, some, some],
  [
    'a provider’s inputs, where it has none',
    'pulumi:providers:p',
    inputs,
    none,
    new Map([['a', 2]]),
  ],
  ['nothing, where it has neither', 'pulumi:providers:p', none, none, none],
  ['a resource’s own, though it has none', 'p:m:T', inputs, none, none],
])('old outputs are %s', (_what, type, oldInputs, outputs, expected) => {
  expect(oldOutputsOf({ type, inputs: oldInputs, outputs })).toEqual(expected)
})

import { describe, expect, test } from 'vitest'
import type { Urn } from '../names/urn.ts'
import { secretOf } from '../values/value.ts'
import { areEqualResources } from './equal-resources.ts'
import { createResourceState, type ResourceState } from './resource.ts'

const urn = (name: string): Urn => `urn:pulumi:dev::shop::a:b:C::${name}` as Urn
const state = (fields: Partial<ResourceState> = {}): ResourceState =>
  createResourceState({ urn: urn('a'), type: 'a:b:C', custom: true, ...fields })

describe('two states are equal', () => {
  test.each<[string, Partial<ResourceState>, Partial<ResourceState>]>([
    ['as separate objects', {}, {}],
    [
      'with dependencies in another order',
      { dependencies: [urn('x'), urn('y')] },
      { dependencies: [urn('y'), urn('x')] },
    ],
    [
      'with property dependencies in another order',
      { propertyDependencies: new Map([['k', [urn('x'), urn('y')]]]) },
      { propertyDependencies: new Map([['k', [urn('y'), urn('x')]]]) },
    ],
    [
      'with keys in another order',
      {
        inputs: new Map([
          ['x', 1],
          ['y', 2],
        ]),
      },
      {
        inputs: new Map([
          ['y', 2],
          ['x', 1],
        ]),
      },
    ],
    ['with a missing or null value under a key', { outputs: new Map([['k', null]]) }, {}],
    ['with different source positions', { sourcePosition: 'project:///a.ts#1' }, {}],
    ['with different stack traces', { stackTrace: [{ sourcePosition: 'project:///a.ts#1' }] }, {}],
  ])('%s', (_what, a, b) => {
    expect(areEqualResources(state(a), state(b))).toBe(true)
  })
})

test('two states differ in the order of hooks, because they run in this order', () => {
  const hooksOf = (...names: string[]) => ({ resourceHooks: new Map([['before-delete', names]]) })
  expect(areEqualResources(state(hooksOf('x', 'y')), state(hooksOf('y', 'x')))).toBe(false)
})

describe('two states differ', () => {
  test.each<[string, Partial<ResourceState>]>([
    ['in their id', { id: 'x' }],
    ['in protection', { protect: true }],
    ['in the provider', { provider: `${urn('p')}::id` }],
    ['in the parent', { parent: urn('p') }],
    ['in an input', { inputs: new Map([['k', 1]]) }],
    ['in an output', { outputs: new Map([['k', 1]]) }],
    ['in a dependency', { dependencies: [urn('x')] }],
    ['in a dependency by property', { propertyDependencies: new Map([['k', [urn('x')]]]) }],
    ['in init errors', { initErrors: ['x'] }],
    ['in a timeout', { customTimeouts: { create: 60 } }],
    ['in the replacement trigger', { replacementTrigger: 1 }],
    ['in hooks', { resourceHooks: new Map([['before-create', ['x']]]) }],
    ['in their creation time', { created: '2026-01-01T00:00:00Z' }],
    ['in ignored changes', { ignoreChanges: ['k'] }],
  ])('%s', (_what, fields) => {
    expect(areEqualResources(state(), state(fields))).toBe(false)
    expect(areEqualResources(state(fields), state())).toBe(false)
  })

  test('when only one keeps a value secret', () => {
    const open = state({ outputs: new Map([['k', 'x']]) })
    const sealed = state({ outputs: new Map([['k', secretOf('x')]]) })
    expect(areEqualResources(open, sealed)).toBe(false)
  })

  test('in the order of a list whose order matters', () => {
    const ordered = state({ ignoreChanges: ['a', 'b'] })
    expect(areEqualResources(ordered, state({ ignoreChanges: ['b', 'a'] }))).toBe(false)
  })
})

import { describe, expect, test } from 'vitest'
import type { Urn } from '../names/urn.ts'
import { secretOf } from '../values/value.ts'
import { equalResources } from './equal.ts'
import { createResourceState, type ResourceState } from './resource.ts'

const urn = (name: string): Urn => `urn:pulumi:dev::shop::a:b:C::${name}` as Urn
const state = (fields: Partial<ResourceState> = {}): ResourceState =>
  createResourceState({ urn: urn('a'), type: 'a:b:C', custom: true, ...fields })

describe('two states are the same', () => {
  test.each<[string, Partial<ResourceState>, Partial<ResourceState>]>([
    ['though made apart', {}, {}],
    [
      'whatever the order of dependencies',
      { dependencies: [urn('x'), urn('y')] },
      { dependencies: [urn('y'), urn('x')] },
    ],
    [
      'whatever the order of dependencies by property',
      { propertyDependencies: new Map([['k', [urn('x'), urn('y')]]]) },
      { propertyDependencies: new Map([['k', [urn('y'), urn('x')]]]) },
    ],
    [
      'whatever the order of keys',
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
    ['with nothing, or null, under a key', { outputs: new Map([['k', null]]) }, {}],
    ['wherever the program has them', { sourcePosition: 'project:///a.ts#1' }, {}],
    ['whatever led to them', { stackTrace: [{ sourcePosition: 'project:///a.ts#1' }] }, {}],
  ])('%s', (_what, a, b) => {
    expect(equalResources(state(a), state(b))).toBe(true)
  })
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
    ['in a time limit', { customTimeouts: { create: 60 } }],
    ['in the trigger', { replacementTrigger: 1 }],
    ['in hooks', { resourceHooks: new Map([['before-create', ['x']]]) }],
    ['in when they were made', { created: '2026-01-01T00:00:00Z' }],
    ['in what is passed over', { ignoreChanges: ['k'] }],
  ])('%s', (_what, fields) => {
    expect(equalResources(state(), state(fields))).toBe(false)
    expect(equalResources(state(fields), state())).toBe(false)
  })

  test('when one keeps a value secret', () => {
    const open = state({ outputs: new Map([['k', 'x']]) })
    const sealed = state({ outputs: new Map([['k', secretOf('x')]]) })
    expect(equalResources(open, sealed)).toBe(false)
  })

  test('in the order of a list whose order matters', () => {
    const one = state({ ignoreChanges: ['a', 'b'] })
    expect(equalResources(one, state({ ignoreChanges: ['b', 'a'] }))).toBe(false)
  })
})

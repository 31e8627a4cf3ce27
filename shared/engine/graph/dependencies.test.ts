import { describe, expect, test } from 'vitest'
import type { Urn } from '../../names/urn.ts'
import { resourceState, type ResourceState } from '../../state/resource.ts'
import { dependingOn, namedDependencies, stateGraph } from './dependencies.ts'

const urn = (name: string): Urn => `urn:pulumi:dev::shop::a:b:C::${name}` as Urn
const providerUrn = 'urn:pulumi:dev::shop::pulumi:providers:a::p' as Urn
const state = (name: string, given: Partial<ResourceState> = {}): ResourceState =>
  resourceState({ urn: urn(name), type: 'a:b:C', custom: true, ...given })
const provider = resourceState({ urn: providerUrn, type: 'pulumi:providers:a', custom: true })
const everyone = (): boolean => false

describe('dependencies of a state', () => {
  test('are those that it lists, by property, deleted with and replaced with', () => {
    const all = state('x', {
      dependencies: [urn('a'), urn('b')],
      propertyDependencies: new Map([['k', [urn('b'), urn('c')]]]),
      deletedWith: urn('d'),
      replaceWith: [urn('e')],
      parent: urn('f'),
    })
    expect([...namedDependencies(all)]).toEqual(['a', 'b', 'c', 'd', 'e'].map(urn))
  })
})

describe('what depends on a state', () => {
  test.each<[string, Partial<ResourceState>]>([
    ['a dependency', { dependencies: [urn('a')] }],
    ['a property', { propertyDependencies: new Map([['k', [urn('a')]]]) }],
    ['deletedWith', { deletedWith: urn('a') }],
    ['replaceWith', { replaceWith: [urn('a')] }],
  ])('is found through %s', (_what, given) => {
    expect(dependingOn(stateGraph([state('a'), state('b', given)]), 0, everyone)).toEqual([1])
  })

  test('is found through its provider', () => {
    const states = [provider, state('b', { provider: `${providerUrn}::id` })]
    expect(dependingOn(stateGraph(states), 0, everyone)).toEqual([1])
  })

  test('is not found through its parent', () => {
    const graph = stateGraph([state('a'), state('b', { parent: urn('a') })])
    expect(dependingOn(graph, 0, everyone)).toEqual([])
  })

  test('is found over others, in order, and never before the state', () => {
    const states = [
      state('z', { dependencies: [urn('a')] }),
      state('a'),
      state('b', { dependencies: [urn('a')] }),
      state('loose'),
      state('c', { dependencies: [urn('b')] }),
    ]
    expect(dependingOn(stateGraph(states), 1, everyone)).toEqual([2, 4])
  })

  test('is not followed through what is passed over', () => {
    const states = [
      state('a'),
      state('b', { dependencies: [urn('a')] }),
      state('c', { dependencies: [urn('b')] }),
    ]
    expect(dependingOn(stateGraph(states), 0, asked => asked === urn('b'))).toEqual([])
  })
})

describe('the look-ups of a list', () => {
  const graph = stateGraph([
    state('a'),
    state('b', { parent: urn('a') }),
    state('b', { parent: urn('a'), delete: true }),
    state('c', { parent: urn('b') }),
    state('d'),
  ])

  test('two states of one URN are both there', () => {
    expect(graph.at(urn('b'))).toEqual([1, 2])
    expect(graph.at(urn('nobody'))).toEqual([])
  })

  test('children are found all the way down', () => {
    expect(graph.childrenOf(urn('a'))).toEqual([1, 2, 3])
    expect(graph.childrenOf(urn('d'))).toEqual([])
  })
})

import { describe, expect, test } from 'vitest'
import type { Urn } from '../../names/urn.ts'
import { createResourceState, type ResourceState } from '../../state/resource.ts'
import { findDependents, dependencyUrnsOf, createStateGraph } from './dependencies.ts'

const urn = (name: string): Urn => `urn:pulumi:dev::shop::a:b:C::${name}` as Urn
const providerUrn = 'urn:pulumi:dev::shop::pulumi:providers:a::p' as Urn
const state = (name: string, fields: Partial<ResourceState> = {}): ResourceState =>
  createResourceState({ urn: urn(name), type: 'a:b:C', custom: true, ...fields })
const provider = createResourceState({ urn: providerUrn, type: 'pulumi:providers:a', custom: true })
const ignoreNothing = (): boolean => false

describe('dependencies of a state', () => {
  test('are those in `dependencies`, `propertyDependencies`, `deletedWith` and `replaceWith`', () => {
    const all = state('x', {
      dependencies: [urn('a'), urn('b')],
      propertyDependencies: new Map([['k', [urn('b'), urn('c')]]]),
      deletedWith: urn('d'),
      replaceWith: [urn('e')],
      parent: urn('f'),
    })
    expect([...dependencyUrnsOf(all)]).toEqual(['a', 'b', 'c', 'd', 'e'].map(urn))
  })
})

describe('a dependent of a state', () => {
  test.each<[string, Partial<ResourceState>]>([
    ['dependencies', { dependencies: [urn('a')] }],
    ['propertyDependencies', { propertyDependencies: new Map([['k', [urn('a')]]]) }],
    ['deletedWith', { deletedWith: urn('a') }],
    ['replaceWith', { replaceWith: [urn('a')] }],
  ])('is found through %s', (_what, fields) => {
    expect(
      findDependents(createStateGraph([state('a'), state('b', fields)]), 0, ignoreNothing),
    ).toEqual([1])
  })

  test('is found through `provider`', () => {
    const states = [provider, state('b', { provider: `${providerUrn}::id` })]
    expect(findDependents(createStateGraph(states), 0, ignoreNothing)).toEqual([1])
  })

  test('is not found through `parent`', () => {
    const graph = createStateGraph([state('a'), state('b', { parent: urn('a') })])
    expect(findDependents(graph, 0, ignoreNothing)).toEqual([])
  })

  test('is found through other states, in order, and never before the state', () => {
    const states = [
      state('z', { dependencies: [urn('a')] }),
      state('a'),
      state('b', { dependencies: [urn('a')] }),
      state('loose'),
      state('c', { dependencies: [urn('b')] }),
    ]
    expect(findDependents(createStateGraph(states), 1, ignoreNothing)).toEqual([2, 4])
  })

  test('is not an ignored state, and is not found through one', () => {
    const states = [
      state('a'),
      state('b', { dependencies: [urn('a')] }),
      state('c', { dependencies: [urn('b')] }),
    ]
    expect(findDependents(createStateGraph(states), 0, visited => visited === urn('b'))).toEqual([])
  })
})

describe('the lookups of a graph', () => {
  const graph = createStateGraph([
    state('a'),
    state('b', { parent: urn('a') }),
    state('b', { parent: urn('a'), delete: true }),
    state('c', { parent: urn('b') }),
    state('d'),
  ])

  test('return both states of one URN', () => {
    expect(graph.indicesOf(urn('b'))).toEqual([1, 2])
    expect(graph.indicesOf(urn('nobody'))).toEqual([])
  })

  test('return children transitively', () => {
    expect(graph.descendantsOf(urn('a'))).toEqual([1, 2, 3])
    expect(graph.descendantsOf(urn('d'))).toEqual([])
  })
})

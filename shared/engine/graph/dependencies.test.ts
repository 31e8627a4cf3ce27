import { describe, expect, test } from 'vitest'
import type { Urn } from '../../names/urn.ts'
import { createResourceState, type ResourceState } from '../../state/resource.ts'
import { findDependents, dependencyUrnsOf, createStateGraph } from './dependencies.ts'

const urnOf = (name: string): Urn => `urn:pulumi:dev::shop::a:b:C::${name}` as Urn
const providerUrn = 'urn:pulumi:dev::shop::pulumi:providers:a::p' as Urn
const stateOf = (name: string, fields: Partial<ResourceState> = {}): ResourceState =>
  createResourceState({ urn: urnOf(name), type: 'a:b:C', custom: true, ...fields })
const provider = createResourceState({ urn: providerUrn, type: 'pulumi:providers:a', custom: true })
const ignoreNothing = (): boolean => false

describe('dependencies of a state', () => {
  test('are those in `dependencies`, `propertyDependencies`, `deletedWith` and `replaceWith`', () => {
    const all = stateOf('x', {
      dependencies: [urnOf('a'), urnOf('b')],
      propertyDependencies: new Map([['k', [urnOf('b'), urnOf('c')]]]),
      deletedWith: urnOf('d'),
      replaceWith: [urnOf('e')],
      parent: urnOf('f'),
    })
    expect([...dependencyUrnsOf(all)]).toEqual(['a', 'b', 'c', 'd', 'e'].map(urnOf))
  })
})

describe('a dependent of a state', () => {
  test.each<[string, Partial<ResourceState>]>([
    ['dependencies', { dependencies: [urnOf('a')] }],
    ['propertyDependencies', { propertyDependencies: new Map([['k', [urnOf('a')]]]) }],
    ['deletedWith', { deletedWith: urnOf('a') }],
    ['replaceWith', { replaceWith: [urnOf('a')] }],
  ])('is found through %s', (_what, fields) => {
    expect(
      findDependents(createStateGraph([stateOf('a'), stateOf('b', fields)]), 0, ignoreNothing),
    ).toEqual([1])
  })

  test('is found through `provider`', () => {
    const states = [provider, stateOf('b', { provider: `${providerUrn}::id` })]
    expect(findDependents(createStateGraph(states), 0, ignoreNothing)).toEqual([1])
  })

  test('is not found through `parent`', () => {
    const graph = createStateGraph([stateOf('a'), stateOf('b', { parent: urnOf('a') })])
    expect(findDependents(graph, 0, ignoreNothing)).toEqual([])
  })

  test('is found through other states, in their order, and never among earlier states', () => {
    const states = [
      stateOf('z', { dependencies: [urnOf('a')] }),
      stateOf('a'),
      stateOf('b', { dependencies: [urnOf('a')] }),
      stateOf('loose'),
      stateOf('c', { dependencies: [urnOf('b')] }),
    ]
    expect(findDependents(createStateGraph(states), 1, ignoreNothing)).toEqual([2, 4])
  })

  test('is not an ignored state, and is not found through one', () => {
    const states = [
      stateOf('a'),
      stateOf('b', { dependencies: [urnOf('a')] }),
      stateOf('c', { dependencies: [urnOf('b')] }),
    ]
    expect(findDependents(createStateGraph(states), 0, urn => urn === urnOf('b'))).toEqual([])
  })
})

describe('the lookups of a graph', () => {
  const graph = createStateGraph([
    stateOf('a'),
    stateOf('b', { parent: urnOf('a') }),
    stateOf('b', { parent: urnOf('a'), delete: true }),
    stateOf('c', { parent: urnOf('b') }),
    stateOf('d'),
  ])

  test('return both states of one URN', () => {
    expect(graph.indicesOf(urnOf('b'))).toEqual([1, 2])
    expect(graph.indicesOf(urnOf('nobody'))).toEqual([])
  })

  test('return children transitively', () => {
    expect(graph.descendantsOf(urnOf('a'))).toEqual([1, 2, 3])
    expect(graph.descendantsOf(urnOf('d'))).toEqual([])
  })
})

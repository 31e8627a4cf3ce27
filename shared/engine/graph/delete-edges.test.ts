import { expect, test } from 'vitest'
import type { Urn } from '../../names/urn.ts'
import { createResourceState, type ResourceState } from '../../state/resource.ts'
import { findDeleteEdges } from './delete-edges.ts'
import { createStateGraph } from './dependencies.ts'

const urnOf = (name: string): Urn => `urn:pulumi:dev::shop::a:b:C::${name}` as Urn
const stateOf = (name: string, fields: Partial<ResourceState> = {}): ResourceState =>
  createResourceState({ urn: urnOf(name), type: 'a:b:C', custom: true, ...fields })

function findEdges(
  states: readonly ResourceState[],
  condemned: readonly number[] = [...states.keys()],
) {
  return findDeleteEdges(createStateGraph(states), new Set(condemned))
}

test('a state is released by all its dependents, and a parent by its children', () => {
  const { releases, groups } = findEdges([
    stateOf('a'),
    stateOf('b', { dependencies: [urnOf('a')] }),
    stateOf('c', { parent: urnOf('a'), dependencies: [urnOf('b')] }),
  ])
  expect(releases.get(0)).toEqual({ states: [], groups: [] })
  expect(releases.get(1)).toEqual({ states: [0], groups: [] })
  expect(releases.get(2)).toEqual({ states: [1, 0], groups: [] })
  expect(groups.size).toBe(0)
})

test('a provider is deleted after its resources', () => {
  const providerUrn = 'urn:pulumi:dev::shop::pulumi:providers:a::p' as Urn
  const provider = createResourceState({
    urn: providerUrn,
    type: 'pulumi:providers:a',
    custom: true,
  })
  const { releases } = findEdges([provider, stateOf('b', { provider: `${providerUrn}::id` })])
  expect(releases.get(1)?.states).toEqual([0])
})

test('no delete waits for a kept state', () => {
  const states = [stateOf('a'), stateOf('b', { dependencies: [urnOf('a')] })]
  expect(findEdges(states, [1]).releases).toEqual(new Map([[1, { states: [], groups: [] }]]))
})

test('a delete releases every state of the URN that it refers to, and a later state only if that closes no cycle', () => {
  const states = [
    stateOf('a', { delete: true }),
    stateOf('a'),
    stateOf('b', { dependencies: [urnOf('a')] }),
    stateOf('a', { delete: true }),
  ]
  expect(findEdges(states).releases.get(2)?.states).toEqual([0, 1, 3])
  const withProtectedB = states.map(resource =>
    resource.urn === urnOf('b') ? { ...resource, protect: true } : resource,
  )
  expect(findEdges(withProtectedB).releases.get(2)?.states).toEqual([0, 1])
  // The states before `b` are not condemned. So `b` and the last state have the same height: no
  // condemned dependency is below them. Then no edge is added.
  expect(findEdges(states, [2, 3]).releases.get(2)?.states).toEqual([])
  const withLaterDependent = [
    ...states.slice(1, 3),
    stateOf('a', { delete: true, dependencies: [urnOf('b')] }),
  ]
  expect(findEdges(withLaterDependent).releases).toEqual(
    new Map([
      [0, { states: [], groups: [] }],
      [1, { states: [0], groups: [] }],
      [2, { states: [1], groups: [] }],
    ]),
  )
})

test('a dependent of a component depends on its children, and several children form one group', () => {
  const states = [
    stateOf('box', { custom: false }),
    stateOf('x', { parent: urnOf('box') }),
    stateOf('y', { parent: urnOf('box') }),
    stateOf('first', { dependencies: [urnOf('box')] }),
    stateOf('second', { dependencies: [urnOf('box')] }),
  ]
  const { releases, groups } = findEdges(states)
  expect([...groups.values()]).toEqual([{ states: [1, 2], groups: [] }])
  const [key = ''] = groups.keys()
  expect(releases.get(3)).toEqual({ states: [0], groups: [key] })
  expect(releases.get(4)).toEqual({ states: [0], groups: [key] })
})

test('a group of a component releases the next smaller group instead of its children', () => {
  const children = ['v', 'w', 'x', 'y'].map(name => stateOf(name, { parent: urnOf('box') }))
  const users = ['first', 'second'].map(name => stateOf(name, { dependencies: [urnOf('box')] }))
  const states = [
    stateOf('box', { custom: false }),
    ...children.slice(0, 2),
    ...users.slice(0, 1),
    ...children.slice(2),
    ...users.slice(1),
  ]
  const { releases, groups } = findEdges(states)
  const [small = '', big = ''] = groups.keys()
  expect(releases.get(3)).toEqual({ states: [0], groups: [small] })
  expect(releases.get(6)).toEqual({ states: [0], groups: [big] })
  expect(groups).toEqual(
    new Map([
      [small, { states: [1, 2], groups: [] }],
      [big, { states: [4, 5], groups: [small] }],
    ]),
  )
})

test('the number of edges is linear, even if children and dependents of a component alternate', () => {
  const pairs = Array.from({ length: 1_000 }, (_, number) => [
    stateOf(`child-${number}`, { parent: urnOf('box') }),
    stateOf(`user-${number}`, { dependencies: [urnOf('box')] }),
  ])
  const { releases, groups } = findEdges([stateOf('box', { custom: false }), ...pairs.flat()])
  const edges = [...releases.values(), ...groups.values()]
  const edgeCount = edges.reduce((sum, released) => sum + released.states.length, 0)
  // 1,000 children and 1,000 users release the box, and the groups release 1,000 children. The
  // first user has no group, and releases the child before it.
  expect(edgeCount).toBe(3_001)
  expect(edges.every(released => released.groups.length <= 1)).toBe(true)
})

test('the only child of a component needs no group', () => {
  const states = [
    stateOf('box', { custom: false }),
    stateOf('x', { parent: urnOf('box') }),
    stateOf('user', { dependencies: [urnOf('box')] }),
  ]
  const { releases, groups } = findEdges(states)
  expect(releases.get(2)).toEqual({ states: [0, 1], groups: [] })
  expect(groups.size).toBe(0)
})

test('the root stack is deleted after the resources without a parent, but not after providers', () => {
  const rootUrn = 'urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev' as Urn
  const providerUrn = 'urn:pulumi:dev::shop::pulumi:providers:a::default' as Urn
  const root = createResourceState({ urn: rootUrn, type: 'pulumi:pulumi:Stack', custom: false })
  const { releases } = findEdges([
    createResourceState({ urn: providerUrn, type: 'pulumi:providers:a', custom: true }),
    root,
    stateOf('a', { provider: `${providerUrn}::id` }),
    stateOf('b', { dependencies: [urnOf('a')] }),
    stateOf('c', { parent: rootUrn }),
  ])
  expect([0, 1, 2, 3, 4].map(index => releases.get(index)?.states)).toEqual([
    [],
    [],
    [0, 1],
    [2],
    [1],
  ])
})

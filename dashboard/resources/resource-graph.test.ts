import { expect, test } from 'vitest'
import { layOutRanks } from './rank-layout.ts'
import { createResourceGraph, findNeighbors } from './resource-graph.ts'
import { createResourceRows, type StateResource } from './state-resource.ts'

const urnOf = (name: string): string => `urn:pulumi:dev::shop::a:b:C::${name}`

function resourceOf(name: string, fields: Partial<StateResource> = {}): StateResource {
  return { urn: urnOf(name), type: 'a:b:C', custom: true, ...fields }
}

/** Returns the layout without pauses. */
function layOut(resources: readonly StateResource[]) {
  const steps = layOutRanks(createResourceGraph(resources))
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

test('the waves of a graph are the order of a destroy: dependents before dependencies', () => {
  const graph = createResourceGraph([
    resourceOf('provider'),
    resourceOf('network', { provider: `${urnOf('provider')}::id` }),
    resourceOf('disk', { provider: `${urnOf('provider')}::id` }),
    resourceOf('server', {
      dependencies: [urnOf('network')],
      propertyDependencies: { disk: [urnOf('disk')], name: null },
    }),
    resourceOf('alone'),
  ])
  expect(graph.waves).toEqual([3, 2, 2, 1, 1])
  expect(graph.waveCount).toBe(3)
})

test('a dependency on a component delays the deletes of its descendants', () => {
  const graph = createResourceGraph([
    resourceOf('component', { custom: false }),
    resourceOf('child', { parent: urnOf('component') }),
    resourceOf('grandchild', { parent: urnOf('child') }),
    resourceOf('user', { dependencies: [urnOf('component')] }),
    resourceOf('late child', { parent: urnOf('component') }),
  ])
  expect(graph.waves).toEqual([4, 3, 2, 1, 1])
})

test('the neighbors of a resource name the reason, and a parent that is also a dependency counts once', () => {
  const graph = createResourceGraph([
    resourceOf('parent'),
    resourceOf('child', { parent: urnOf('parent'), dependencies: [urnOf('parent')] }),
    resourceOf('other', { parent: urnOf('parent'), deletedWith: urnOf('child') }),
  ])
  expect(findNeighbors(graph, 0)).toEqual({
    dependsOn: [],
    dependents: [
      { index: 1, reason: 'dependency' },
      { index: 2, reason: 'parent' },
    ],
  })
  expect(findNeighbors(graph, 2).dependsOn.map(({ index }) => index)).toEqual([1, 0])
})

test('a layout has a rank for each wave, and every resource a place of its own', () => {
  const resources = Array.from({ length: 500 }, (_, index) =>
    resourceOf(`r${index}`, index < 100 ? {} : { dependencies: [urnOf(`r${index - 100}`)] }),
  )
  const { points, ranks } = layOut(resources)
  expect(ranks.map(({ wave, count }) => [wave, count])).toEqual([
    ...[5, 4, 3, 2, 1].map(wave => [wave, 100]),
  ])
  expect(new Set(points.map(({ x, y }) => `${x} ${y}`)).size).toBe(500)
  expect(points[0]?.x).toBeLessThan(points[499]?.x ?? 0)
  // Each chain is a straight line after the sweeps.
  expect(points[0]?.y).toBe(points[400]?.y)
})

test('a cycle in a damaged state and a missing dependency are ignored', () => {
  const resources = [
    resourceOf('a', { dependencies: [urnOf('b'), urnOf('lost')], parent: urnOf('b') }),
    resourceOf('b', { parent: urnOf('a') }),
  ]
  expect(createResourceGraph(resources).waves).toEqual([2, 1])
  expect(layOut([]).points).toEqual([])
})

test('a resource that awaits its delete or an unknown result has this condition', () => {
  const rows = createResourceRows({
    deployment: {
      resources: [
        resourceOf('old', { delete: true }),
        resourceOf('open'),
        resourceOf('group', { custom: false }),
        resourceOf('plain'),
      ],
      pending_operations: [{ resource: resourceOf('open'), type: 'updating' }],
    },
  })
  expect(rows.map(({ condition }) => condition)).toEqual([
    ...['condemned', 'pending', 'component', 'normal'],
  ])
})

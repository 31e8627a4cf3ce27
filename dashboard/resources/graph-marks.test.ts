import { DirectedGraph } from 'graphology'
import { expect, test } from 'vitest'
import { createGraphMarks, namedMatchesMax } from './graph-marks.ts'

/** Creates a chain of resources `0`, `1`, …, and returns its marks. */
function createChain(count: number) {
  const graph = new DirectedGraph()
  for (let index = 0; index < count; index += 1) graph.addNode(String(index))
  for (let index = 1; index < count; index += 1)
    graph.addEdgeWithKey(`${index - 1}-${index}`, String(index - 1), String(index))
  const nodes = new Set<string>()
  const edges = new Set<string>()
  const setMember = (set: Set<string>, key: string, isIn: boolean): void =>
    void (isIn ? set.add(key) : set.delete(key))
  const marks = createGraphMarks(graph, {
    setNodesState: (keys, { isHighlighted }) => {
      for (const key of keys) setMember(nodes, key, isHighlighted)
    },
    setEdgeState: (edge, { isHighlighted }) => setMember(edges, edge, isHighlighted),
  })
  return { ...marks, nodes, edges }
}

const keysUpTo = (count: number): Set<string> =>
  new Set(Array.from({ length: count }, (_, index) => String(index)))

// Edges lose their mark when the matches exceed the limit, and when the pointer leaves.
test('the edges of matches are marked only if at most `namedMatchesMax` resources match', () => {
  const { highlight, hover, nodes, edges } = createChain(60)
  highlight(keysUpTo(2))
  expect([[...nodes], [...edges]]).toEqual([
    ['0', '1'],
    ['0-1', '1-2'],
  ])
  highlight(keysUpTo(namedMatchesMax + 1))
  expect([nodes.size, edges.size]).toEqual([namedMatchesMax + 1, 0])
  hover('1', true)
  expect(edges.size).toBe(2)
  hover('1', false)
  expect(edges.size).toBe(0)
  highlight(keysUpTo(namedMatchesMax))
  expect([nodes.size, edges.size]).toEqual([namedMatchesMax, namedMatchesMax])
})

test('an edge stays marked while one of its resources matches, and a filter may match no resource', () => {
  const { highlight, hover, nodes, edges } = createChain(4)
  highlight(new Set(['1', 'unknown']))
  highlight(new Set(['2']))
  hover('3', true)
  hover('3', false)
  expect([[...nodes], [...edges].toSorted()]).toEqual([['2'], ['1-2', '2-3']])
  highlight(new Set())
  expect([nodes.size, edges.size]).toEqual([0, 0])
})

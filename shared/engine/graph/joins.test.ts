import { expect, test } from 'vitest'
import { limits } from '../../config/limits.ts'
import { type PlanNode, insertJoins } from './joins.ts'

const { edgesPerOperationMax } = limits

/** Returns the nodes that must end before `key` can start, directly or through others and joins. */
function findPredecessors(plan: ReturnType<typeof insertJoins>, key: string): Set<string> {
  const sources = new Set<string>()
  const pendingKeys = [key]
  for (let next = pendingKeys.pop(); next !== undefined; next = pendingKeys.pop())
    for (const [source, targets] of plan.releases)
      if (targets.includes(next) && !sources.has(source)) {
        sources.add(source)
        pendingKeys.push(source)
      }
  return new Set([...sources].filter(source => !source.startsWith('join:')))
}

test('a narrow graph has no joins', () => {
  const plan = insertJoins([
    { key: 'a', releases: ['b'] },
    { key: 'b', releases: [] },
  ])
  expect(plan.joins).toEqual([])
  expect(plan.needs).toEqual(
    new Map([
      ['a', 0],
      ['b', 1],
    ]),
  )
})

test('10,000 nodes that two others need stay within the limit of edges, and share their joins', () => {
  const nodes: PlanNode[] = Array.from({ length: 10_000 }, (_, i) => ({
    key: `n${i}`,
    releases: ['p', 'q'],
  }))
  const plan = insertJoins([...nodes, { key: 'p', releases: [] }, { key: 'q', releases: [] }])
  for (const targets of plan.releases.values())
    expect(targets.length).toBeLessThanOrEqual(edgesPerOperationMax)
  for (const needs of plan.needs.values()) expect(needs).toBeLessThanOrEqual(edgesPerOperationMax)
  // With at most 32 edges each, 10,000 sources need 313 joins, and these need 10.
  expect(plan.joins.length).toBe(313 + 10)
})

test('a node that releases 1,000 others releases them through joins', () => {
  const nodes: PlanNode[] = Array.from({ length: 1_000 }, (_, i) => ({
    key: `n${i}`,
    releases: [],
  }))
  const plan = insertJoins([{ key: 'root', releases: nodes.map(node => node.key) }, ...nodes])
  for (const targets of plan.releases.values())
    expect(targets.length).toBeLessThanOrEqual(edgesPerOperationMax)
  expect(findPredecessors(plan, 'n999')).toEqual(new Set(['root']))
})

test('a node that waits for 1,000 others waits for each of them, through joins', () => {
  const keys = Array.from({ length: 1_000 }, (_, i) => `n${i}`)
  const nodes = keys.map((key): PlanNode => ({ key, releases: ['last'] }))
  const plan = insertJoins([...nodes, { key: 'last', releases: [] }])
  expect(findPredecessors(plan, 'last')).toEqual(new Set(keys))
})

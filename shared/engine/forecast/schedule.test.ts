import { describe, expect, test } from 'vitest'
import { type ScheduledNode, scheduleNodes } from './schedule.ts'

/** Creates a counted node. */
const node = (durationMs: number, ...needs: readonly number[]): ScheduledNode => ({
  needs,
  durationMs,
  isCounted: true,
})
const join = (...needs: readonly number[]): ScheduledNode => ({
  needs,
  durationMs: 0,
  isCounted: false,
})

describe('schedule', () => {
  test('of no nodes is empty', () => {
    expect(scheduleNodes([], 4)).toEqual({
      waves: [],
      criticalPath: [],
      criticalPathMs: 0,
      workMs: 0,
      wallMs: 0,
    })
  })

  test('of a chain takes the sum of all durations, whatever the parallelism', () => {
    const chain = [node(10), node(20, 0), node(30, 1)]
    for (const parallel of [1, 2, Infinity])
      expect(scheduleNodes(chain, parallel)).toEqual({
        waves: [1, 1, 1],
        criticalPath: [0, 1, 2],
        criticalPathMs: 60,
        workMs: 60,
        wallMs: 60,
      })
  })

  test('of a hub runs its dependents in rounds of the parallelism', () => {
    const hub = [node(10), ...Array.from({ length: 5 }, () => node(20, 0))]
    expect(scheduleNodes(hub, 2)).toMatchObject({ waves: [1, 5], wallMs: 10 + 3 * 20 })
    expect(scheduleNodes(hub, 5)).toMatchObject({ criticalPathMs: 30, wallMs: 30 })
  })

  test('of layers with a barrier waits for the slowest node of each layer', () => {
    const layers = [node(10), node(40), join(0, 1), node(10, 2), node(30, 2)]
    expect(scheduleNodes(layers, 4)).toEqual({
      waves: [2, 2],
      criticalPath: [1, 4],
      criticalPathMs: 70,
      workMs: 90,
      wallMs: 70,
    })
  })

  test('of a diamond follows the slower side', () => {
    const diamond = [node(10), node(20, 0), node(50, 0), node(5, 1, 2)]
    expect(scheduleNodes(diamond, 2)).toMatchObject({
      waves: [1, 2, 1],
      criticalPath: [0, 2, 3],
      criticalPathMs: 65,
      wallMs: 65,
    })
    expect(scheduleNodes(diamond, 1)).toMatchObject({ wallMs: 85 })
  })

  test('starts nodes in the order in which they become ready', () => {
    // The nodes 0 and 1 are ready at the same time, and the node 2 after 0. The longest node is
    // last.
    const nodes = [node(10), node(10), node(100, 0)]
    expect(scheduleNodes(nodes, 1)).toMatchObject({ wallMs: 120 })
    expect(scheduleNodes(nodes, 2)).toMatchObject({ wallMs: 110 })
  })

  test('gives no slot to a node without a duration', () => {
    const nodes = [node(0), node(10, 0), node(0), node(10, 2), node(0, 1, 3)]
    expect(scheduleNodes(nodes, 2)).toMatchObject({ waves: [2, 2, 1], wallMs: 10 })
  })

  test('leaves out nodes on a cycle', () => {
    expect(scheduleNodes([node(10), node(10, 2), node(10, 1)], 2)).toMatchObject({
      waves: [1],
      wallMs: 10,
    })
  })

  test('of 100,000 nodes with 400,000 needs takes seconds, even on a busy machine', () => {
    const nodes = Array.from({ length: 100_000 }, (_, index) => {
      const needs = index < 1000 ? [] : [1, 7, 100, 999].map(distance => index - distance)
      return node(1 + (index % 97), ...needs)
    })
    const startMs = performance.now()
    const { waves, wallMs } = scheduleNodes(nodes, 16)
    expect(performance.now() - startMs).toBeLessThan(30_000)
    expect(waves.reduce((sum, width) => sum + width, 0)).toBe(100_000)
    expect(wallMs).toBeGreaterThan(0)
  })

  test('of one node that needs 100,000 others, and that 100,000 more need, does not exhaust the stack', () => {
    const roots = Array.from({ length: 100_000 }, () => node(0))
    const last = Array.from({ length: 100_000 }, () => node(0, 100_000))
    const nodes = [...roots, join(...roots.keys()), ...last]
    expect(scheduleNodes(nodes, 16).waves).toEqual([100_000, 100_000])
  })
})

import { describe, expect, test } from 'vitest'
import { type ScheduledNode, scheduleNodes } from './schedule.ts'

/** Creates a counted node. */
const nodeOf = (durationMs: number, ...needs: readonly number[]): ScheduledNode => ({
  needs,
  durationMs,
  isCounted: true,
})
const joinOf = (...needs: readonly number[]): ScheduledNode => ({
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
    const chain = [nodeOf(10), nodeOf(20, 0), nodeOf(30, 1)]
    for (const parallel of [1, 2, Infinity])
      expect(scheduleNodes(chain, parallel)).toEqual({
        waves: [1, 1, 1],
        criticalPath: [0, 1, 2],
        criticalPathMs: 60,
        workMs: 60,
        wallMs: 60,
      })
  })

  test('of a hub runs as many dependents at the same time as the parallelism allows', () => {
    const hub = [nodeOf(10), ...Array.from({ length: 5 }, () => nodeOf(20, 0))]
    expect(scheduleNodes(hub, 2)).toMatchObject({ waves: [1, 5], wallMs: 10 + 3 * 20 })
    expect(scheduleNodes(hub, 5)).toMatchObject({ criticalPathMs: 30, wallMs: 30 })
  })

  test('of layers with a barrier waits for the slowest node of each layer', () => {
    const layers = [nodeOf(10), nodeOf(40), joinOf(0, 1), nodeOf(10, 2), nodeOf(30, 2)]
    expect(scheduleNodes(layers, 4)).toEqual({
      waves: [2, 2],
      criticalPath: [1, 4],
      criticalPathMs: 70,
      workMs: 90,
      wallMs: 70,
    })
  })

  test('of a diamond follows the slower side', () => {
    const diamond = [nodeOf(10), nodeOf(20, 0), nodeOf(50, 0), nodeOf(5, 1, 2)]
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
    const nodes = [nodeOf(10), nodeOf(10), nodeOf(100, 0)]
    expect(scheduleNodes(nodes, 1)).toMatchObject({ wallMs: 120 })
    expect(scheduleNodes(nodes, 2)).toMatchObject({ wallMs: 110 })
  })

  test('gives no slot to a node without a duration', () => {
    const nodes = [nodeOf(0), nodeOf(10, 0), nodeOf(0), nodeOf(10, 2), nodeOf(0, 1, 3)]
    expect(scheduleNodes(nodes, 2)).toMatchObject({ waves: [2, 2, 1], wallMs: 10 })
  })

  test('leaves out nodes on a cycle', () => {
    expect(scheduleNodes([nodeOf(10), nodeOf(10, 2), nodeOf(10, 1)], 2)).toMatchObject({
      waves: [1],
      wallMs: 10,
    })
  })

  test('of 100,000 nodes with 400,000 needs takes seconds, even on a busy machine', () => {
    const nodes = Array.from({ length: 100_000 }, (_, index) => {
      const needs = index < 1000 ? [] : [1, 7, 100, 999].map(distance => index - distance)
      return nodeOf(1 + (index % 97), ...needs)
    })
    const startMs = performance.now()
    const { waves, wallMs } = scheduleNodes(nodes, 16)
    expect(performance.now() - startMs).toBeLessThan(30_000)
    expect(waves.reduce((sum, width) => sum + width, 0)).toBe(100_000)
    expect(wallMs).toBeGreaterThan(0)
  })

  test('of one node that needs 100,000 others, and that 100,000 more need, does not exhaust the stack', () => {
    const roots = Array.from({ length: 100_000 }, () => nodeOf(0))
    const last = Array.from({ length: 100_000 }, () => nodeOf(0, 100_000))
    const nodes = [...roots, joinOf(...roots.keys()), ...last]
    expect(scheduleNodes(nodes, 16).waves).toEqual([100_000, 100_000])
  })
})

/**
 * Laws of the schedule of a forecast, for random graphs. They are broken by a wrong critical path,
 * a lost node, or a slot that stays free while a node is ready.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ScheduledNode, scheduleNodes } from '../../shared/engine/forecast/schedule.ts'
import { caseCountFactor } from './configure-properties.ts'

/** A random graph. Each node needs up to three earlier nodes. */
const graphs: fc.Arbitrary<readonly ScheduledNode[]> = fc
  .array(
    fc.record({
      durationMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 100 })),
      isCounted: fc.boolean(),
      needs: fc.array(fc.nat(), { maxLength: 3 }),
    }),
    { maxLength: 60 },
  )
  .map(nodes =>
    nodes.map(({ needs, ...node }, index) => ({
      ...node,
      needs: index === 0 ? [] : [...new Set(needs.map(need => need % index))],
    })),
  )

/** Returns the sum of the durations of nodes. */
function sumOf(nodes: readonly ScheduledNode[]): number {
  return nodes.reduce((sum, { durationMs }) => sum + durationMs, 0)
}

test('without a limit of parallelism, the wall time is the critical path', () => {
  fc.assert(
    fc.property(graphs, nodes => {
      const { wallMs, criticalPathMs } = scheduleNodes(nodes, Infinity)
      expect(wallMs).toBe(criticalPathMs)
    }),
    { numRuns: 300 * caseCountFactor },
  )
})

test('the wall time is within the bounds of a list schedule', () => {
  fc.assert(
    fc.property(graphs, fc.integer({ min: 1, max: 8 }), (nodes, parallel) => {
      const { wallMs, criticalPathMs, workMs } = scheduleNodes(nodes, parallel)
      expect(workMs).toBe(sumOf(nodes))
      expect(wallMs).toBeGreaterThanOrEqual(Math.max(criticalPathMs, workMs / parallel))
      expect(wallMs).toBeLessThanOrEqual(workMs / parallel + criticalPathMs)
      if (parallel === 1) expect(wallMs).toBe(workMs)
    }),
    { numRuns: 300 * caseCountFactor },
  )
})

test('the critical path is a path of the graph, and each counted node is in one wave', () => {
  fc.assert(
    fc.property(graphs, nodes => {
      const { waves, criticalPath, criticalPathMs } = scheduleNodes(nodes, 4)
      expect(sumOf(criticalPath.flatMap(index => nodes[index] ?? []))).toBe(criticalPathMs)
      for (const [position, index] of criticalPath.entries())
        if (position > 0)
          expect(isReachable(nodes, criticalPath[position - 1] ?? -1, index)).toBe(true)
      const countedNodes = nodes.filter(({ isCounted }) => isCounted)
      expect(waves.reduce((sum, width) => sum + width, 0)).toBe(countedNodes.length)
    }),
    { numRuns: 300 * caseCountFactor },
  )
})

/** Reports whether node `to` needs node `from`, directly or through other nodes. */
function isReachable(nodes: readonly ScheduledNode[], from: number, to: number): boolean {
  return (nodes[to]?.needs ?? []).some(need => need === from || isReachable(nodes, from, need))
}

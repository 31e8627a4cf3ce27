/**
 * forecast: the expected course of a preview's steps, and the course of deployments. Pure;
 * imports executor and below. Source: docs/decisions/0051-a-forecast-simulates-the-steps.md.
 *
 * Invariants: a forecast decides nothing. A missing or wrong duration changes only numbers. Every
 * computation is linear in steps and edges, except for a factor log n of the simulation.
 */
import { createTimeQueue } from './time-queue.ts'

/**
 * A node of a graph of steps. `needs`: the indices of the nodes that must end first. `durationMs`:
 * the duration of its provider call; 0 for a node without a call, which needs no slot. `isCounted`:
 * whether waves count the node. Joins and unchanged resources are not counted.
 */
export interface ScheduledNode {
  readonly needs: readonly number[]
  readonly durationMs: number
  readonly isCounted: boolean
}

/**
 * The schedule of a graph. All times are in ms. `waves`: the number of counted nodes in each wave.
 * `criticalPath`: node indices, in order. `workMs`: the sum of all durations. `wallMs`: the time at
 * which the last node ends.
 */
export interface StepSchedule {
  readonly waves: readonly number[]
  readonly criticalPath: readonly number[]
  readonly criticalPathMs: number
  readonly workMs: number
  readonly wallMs: number
}

/**
 * Computes waves, critical path and wall time of a graph. At most `parallel` nodes with a duration
 * run at the same time, in the order in which they become ready. Nodes on or after a cycle are left
 * out. The wall time is at least the critical path, at least the work divided by `parallel`, and at
 * most the sum of these two (R. L. Graham, Bounds for Certain Multiprocessing Anomalies, 1966).
 */
export function scheduleNodes(nodes: readonly ScheduledNode[], parallel: number): StepSchedule {
  const waiters = indexWaiters(nodes)
  const order = sortTopologically(nodes, waiters)
  const path = findLongestPath(nodes, order)
  return {
    waves: countWaves(nodes, order),
    criticalPath: path.nodes,
    criticalPathMs: path.ms,
    workMs: order.reduce((sum, index) => sum + (nodes[index]?.durationMs ?? 0), 0),
    wallMs: simulateWallMs(nodes, waiters, parallel),
  }
}

/** Returns for each node the indices of the nodes that need it. */
function indexWaiters(nodes: readonly ScheduledNode[]): readonly (readonly number[])[] {
  const waiters: number[][] = nodes.map(() => [])
  nodes.forEach(({ needs }, index) => {
    for (const need of needs) waiters[need]?.push(index)
  })
  return waiters
}

/** Returns the indices of the nodes, each after its needs. Omits nodes on or after a cycle. */
function sortTopologically(
  nodes: readonly ScheduledNode[],
  waiters: readonly (readonly number[])[],
): readonly number[] {
  const missingCounts = nodes.map(({ needs }) => needs.length)
  const order = [...missingCounts.keys()].filter(index => missingCounts[index] === 0)
  for (let position = 0; position < order.length; position++)
    for (const waiter of waiters[order[position] ?? -1] ?? []) {
      const missingCount = (missingCounts[waiter] ?? 0) - 1
      missingCounts[waiter] = missingCount
      if (missingCount === 0) order.push(waiter)
    }
  return order
}

/** Returns the number of counted nodes in each wave. */
function countWaves(nodes: readonly ScheduledNode[], order: readonly number[]): readonly number[] {
  const waveNumbers = new Int32Array(nodes.length)
  const waves: number[] = []
  for (const index of order) {
    const node = nodes[index]
    if (node === undefined) continue
    let waveNumber = 0
    for (const need of node.needs) waveNumber = Math.max(waveNumber, waveNumbers[need] ?? 0)
    if (node.isCounted) {
      waves[waveNumber] = (waves[waveNumber] ?? 0) + 1
      waveNumber += 1
    }
    waveNumbers[index] = waveNumber
  }
  return waves
}

/**
 * Returns the path with the largest sum of durations, without its nodes of duration 0. Of equal
 * paths, returns the first one.
 */
function findLongestPath(
  nodes: readonly ScheduledNode[],
  order: readonly number[],
): { readonly nodes: readonly number[]; readonly ms: number } {
  const endsMs = new Float64Array(nodes.length)
  const previousNodes = new Int32Array(nodes.length).fill(-1)
  let lastNode = -1
  for (const index of order) {
    const node = nodes[index]
    if (node === undefined) continue
    let startMs = 0
    for (const need of node.needs)
      if ((endsMs[need] ?? 0) > startMs) {
        startMs = endsMs[need] ?? 0
        previousNodes[index] = need
      }
    endsMs[index] = startMs + node.durationMs
    if ((endsMs[index] ?? 0) > (endsMs[lastNode] ?? 0)) lastNode = index
  }
  const path: number[] = []
  for (let index = lastNode; index >= 0; index = previousNodes[index] ?? -1) path.push(index)
  const pathWithCalls = path.reverse().filter(index => (nodes[index]?.durationMs ?? 0) > 0)
  return { nodes: pathWithCalls, ms: endsMs[lastNode] ?? 0 }
}

/** Returns the time at which the last node ends. */
function simulateWallMs(
  nodes: readonly ScheduledNode[],
  waiters: readonly (readonly number[])[],
  parallel: number,
): number {
  const missingCounts = nodes.map(({ needs }) => needs.length)
  const readyNodes: number[] = []
  const running = createTimeQueue()
  let nextReady = 0
  let nowMs = 0
  /** Queues a ready node. A node without a duration ends immediately and releases its waiters. */
  const release = (firstNode: number): void => {
    const releasedNodes = [firstNode]
    for (let index = releasedNodes.pop(); index !== undefined; index = releasedNodes.pop())
      if ((nodes[index]?.durationMs ?? 0) > 0) readyNodes.push(index)
      else for (const waiter of removeNeed(index).toReversed()) releasedNodes.push(waiter)
  }
  /** Removes an ended node from the needs of its waiters. Returns those that are now ready. */
  const removeNeed = (ended: number): readonly number[] =>
    (waiters[ended] ?? []).filter(waiter => {
      missingCounts[waiter] = (missingCounts[waiter] ?? 0) - 1
      return missingCounts[waiter] === 0
    })
  nodes.forEach(({ needs }, index) => {
    if (needs.length === 0) release(index)
  })
  for (;;) {
    for (; running.size() < parallel && nextReady < readyNodes.length; nextReady++) {
      const index = readyNodes[nextReady] ?? 0
      running.add(nowMs + (nodes[index]?.durationMs ?? 0), index)
    }
    const ended = running.takeFirst()
    if (ended === undefined) return nowMs
    nowMs = ended.timeMs
    for (const waiter of removeNeed(ended.value)) release(waiter)
  }
}

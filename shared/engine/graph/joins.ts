import { limits } from '../../config/limits.ts'
import { assert } from '../../errors/error.ts'

const { edgesPerOperationMax } = limits

/** A node of a plan before it has an operation id. `releases`: keys of the nodes that need it. */
export interface PlanNode {
  readonly key: string
  readonly releases: readonly string[]
}

/**
 * A plan whose nodes need and release at most `edgesPerOperationMax` others. `releases`: key of a
 * node → the keys of the nodes that need it. `needs`: key of a node → the number of its needs.
 * `joins`: the keys of the added nodes.
 */
export interface JoinedPlan {
  readonly releases: ReadonlyMap<string, readonly string[]>
  readonly needs: ReadonlyMap<string, number>
  readonly joins: readonly string[]
}

/**
 * Inserts joins into a graph until no node needs or releases more than `edgesPerOperationMax`.
 * Waiters with the same large set of needs share their joins. Linear in the edges.
 */
export function insertJoins(nodes: readonly PlanNode[]): JoinedPlan {
  const releases = new Map<string, string[]>(nodes.map(node => [node.key, []]))
  const joins: string[] = []
  const addJoin = (): string => {
    const key = `join:${joins.length + 1}`
    joins.push(key)
    releases.set(key, [])
    return key
  }
  const link = (from: string, to: string): void => {
    const list = releases.get(from)
    assert(list !== undefined, 'an edge starts at a node of the plan')
    list.push(to)
  }
  for (const [sources, waiters] of groupBySources(nodes))
    limitNeeds(sources, waiters, { addJoin, link })
  for (const key of [...releases.keys()]) limitReleases(key, releases, addJoin)
  const needs = new Map<string, number>([...releases.keys()].map(key => [key, 0]))
  for (const targets of releases.values())
    for (const target of targets) needs.set(target, (needs.get(target) ?? 0) + 1)
  return { releases, needs, joins }
}

/**
 * Returns groups of waiters, each with its sources: the nodes that the waiters need. Waiters with
 * the same sources share a group if they have more than `edgesPerOperationMax` sources. Any other
 * waiter has a group of its own.
 */
function groupBySources(nodes: readonly PlanNode[]): [readonly string[], readonly string[]][] {
  const sourcesByWaiter = new Map<string, string[]>()
  for (const node of nodes)
    for (const waiter of new Set(node.releases)) {
      const sources = sourcesByWaiter.get(waiter)
      if (sources === undefined) sourcesByWaiter.set(waiter, [node.key])
      else sources.push(node.key)
    }
  const groups = new Map<string, { sources: readonly string[]; waiters: string[] }>()
  for (const [waiter, sources] of sourcesByWaiter) {
    const key = sources.length > edgesPerOperationMax ? sources.join('\n') : `one\n${waiter}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { sources, waiters: [waiter] })
    else group.waiters.push(waiter)
  }
  return [...groups.values()].map(group => [group.sources, group.waiters])
}

/** The functions that change a plan under construction. */
interface JoinBuilder {
  /** Adds a join, and returns its key. */
  readonly addJoin: () => string
  /** Adds an edge: `from` releases `to`. */
  readonly link: (from: string, to: string) => void
}

/** Links waiters with their sources, through as many levels of joins as the limit requires. */
function limitNeeds(
  sources: readonly string[],
  waiters: readonly string[],
  builder: JoinBuilder,
): void {
  let level = sources
  while (level.length > edgesPerOperationMax) {
    const nextLevel: string[] = []
    for (let start = 0; start < level.length; start += edgesPerOperationMax) {
      const join = builder.addJoin()
      for (const source of level.slice(start, start + edgesPerOperationMax))
        builder.link(source, join)
      nextLevel.push(join)
    }
    level = nextLevel
  }
  for (const waiter of waiters) for (const source of level) builder.link(source, waiter)
}

/** Puts joins between a node and the nodes that it releases, if these are too many. */
function limitReleases(key: string, releases: Map<string, string[]>, addJoin: () => string): void {
  let targets = releases.get(key) ?? []
  while (targets.length > edgesPerOperationMax) {
    const nextTargets: string[] = []
    for (let start = 0; start < targets.length; start += edgesPerOperationMax) {
      const join = addJoin()
      releases.set(join, targets.slice(start, start + edgesPerOperationMax))
      nextTargets.push(join)
    }
    targets = nextTargets
  }
  releases.set(key, targets)
}

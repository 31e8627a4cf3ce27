import type { Model, ShownStep } from './model.ts'

/** A resource as a tree shows it: all of its steps taken together. */
export interface TreeRow {
  readonly urn: string
  readonly parent: string
  /** The step to show: the one that runs, else the one that failed, else the last that changed something. */
  readonly step: ShownStep
  readonly state: 'failed' | 'running' | 'changed' | 'unchanged'
}

/** A row in its place, with how deep it is below the rows shown above it. */
export interface PlacedRow {
  readonly row: TreeRow
  readonly depth: number
}

/** What fits: rows in the order of the tree, and how many rows are left out. */
export interface FoldedTree {
  readonly rows: readonly PlacedRow[]
  readonly left: number
}

/** One row per resource, in order of appearance. */
export function treeRows(model: Model): readonly TreeRow[] {
  return [...model.steps].map(([urn, steps]) => rowOf(urn, steps))
}

/**
 * Chooses at most `height` rows: failed ones first, then running ones, then those that ended last, each
 * with the rows above it; unchanged ones stay out unless something shown is below them.
 */
export function foldTree(rows: readonly TreeRow[], height: number): FoldedTree {
  const byUrn = new Map(rows.map(row => [row.urn, row]))
  const wanted = byImportance(rows)
  const chosen = new Set<TreeRow>()
  for (const row of wanted) {
    if (chosen.size >= height) break
    const line = missingAbove(row, byUrn, chosen)
    if (chosen.size + line.length <= height) for (const one of line) chosen.add(one)
  }
  const shown = rows.filter(row => chosen.has(row))
  const left = wanted.filter(row => !chosen.has(row)).length
  return { rows: placed(shown), left }
}

function rowOf(urn: string, steps: readonly ShownStep[]): TreeRow {
  const failed = steps.findLast(step => step.status === 'failed' || step.status === 'unknown')
  const running = steps.findLast(step => step.status === 'running')
  const changed = steps.findLast(step => step.op === 'replace') ?? steps.findLast(isChange)
  const step = running ?? failed ?? changed ?? steps[steps.length - 1]
  if (step === undefined) throw new RangeError(`no step concerns ${urn}`)
  const state =
    running !== undefined
      ? 'running'
      : failed !== undefined
        ? 'failed'
        : changed !== undefined
          ? 'changed'
          : 'unchanged'
  return { urn, parent: step.parent, step, state }
}

function isChange(step: ShownStep): boolean {
  return step.changed
}

function byImportance(rows: readonly TreeRow[]): readonly TreeRow[] {
  const of = (state: TreeRow['state']): readonly TreeRow[] =>
    rows.filter(row => row.state === state)
  // A component runs as long as what is in it: only a resource of a provider says what goes on.
  const [components, resources] = [true, false].map(is =>
    of('running').filter(row => row.step.component === is),
  )
  const latest = [...of('changed')].sort((a, b) => (b.step.endedMs ?? 0) - (a.step.endedMs ?? 0))
  return [...of('failed'), ...(resources ?? []), ...(components ?? []), ...latest]
}

/** The row and those above it that are not chosen yet; a parent named in a circle ends the way. */
function missingAbove(
  row: TreeRow,
  byUrn: ReadonlyMap<string, TreeRow>,
  chosen: ReadonlySet<TreeRow>,
): readonly TreeRow[] {
  const line: TreeRow[] = []
  let at: TreeRow | undefined = row
  while (at !== undefined && !chosen.has(at) && !line.includes(at)) {
    line.push(at)
    at = byUrn.get(at.parent)
  }
  return line
}

function placed(rows: readonly TreeRow[]): readonly PlacedRow[] {
  const shown = new Set(rows.map(row => row.urn))
  const isRoot = (row: TreeRow): boolean => !shown.has(row.parent) || row.parent === row.urn
  const children = Map.groupBy(rows, row => (isRoot(row) ? '' : row.parent))
  const result: PlacedRow[] = []
  const place = (parent: string, depth: number): void => {
    for (const row of children.get(parent) ?? []) {
      result.push({ row, depth })
      place(row.urn, depth + 1)
    }
  }
  place('', 0)
  return result
}

/** How often things happened that a run of many seeds must have seen. */
export interface Coverage {
  readonly cover: (group: CoverageGroup, what: string) => void
  readonly counts: ReadonlyMap<string, number>
}

/** What is counted. */
export type CoverageGroup = 'fault' | 'transition' | 'rule' | 'checked'

/** Makes counters at zero. */
export function createCoverage(): Coverage {
  const counts = new Map<string, number>()
  return {
    cover(group, what) {
      const key = `${group}: ${what}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    counts,
  }
}

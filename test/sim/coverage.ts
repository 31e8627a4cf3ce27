/** Counters of the events that a run of many seeds must contain. */
export interface Coverage {
  readonly cover: (group: CoverageGroup, event: string) => void
  readonly counts: ReadonlyMap<string, number>
}

/** The kinds of counted events: struck faults, head transitions, observed rules, made checks. */
export type CoverageGroup = 'fault' | 'transition' | 'rule' | 'checked'

/** Creates counters at zero. */
export function createCoverage(): Coverage {
  const counts = new Map<string, number>()
  return {
    cover(group, event) {
      const key = `${group}: ${event}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    counts,
  }
}

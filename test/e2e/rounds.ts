import fc from 'fast-check'

/** The changes of a round's deployment, with their number of calls. */
export const doings = {
  create: { calls: 50 },
  update: { calls: 50 },
  replace: { calls: 100 },
  'delete-first': { calls: 100 },
  mixed: { calls: 70 },
  destroy: { calls: 50 },
  'destroy-1000': { calls: 1000 },
} as const

/** One of `doings`. */
export type RoundKind = keyof typeof doings

/** The victim of a kill. It is restarted shortly afterwards, as a supervisor would do. */
export type Victim = 'generator' | 'executor' | 'all'

/** A kill. It happens `afterMs` after a part of the calls, at least one, was requested. */
export interface Kill {
  readonly whom: Victim
  readonly part: number
  readonly afterMs: number
}

/** A deployment by separate processes, and the kills that happen in it. */
export interface Round {
  readonly doing: RoundKind
  readonly kills: readonly Kill[]
}

/** The result of a round. */
export interface RoundResult {
  readonly kills: readonly Victim[]
  /** Number of creates whose end only a user can find out. */
  readonly unknown: number
  /** Number of repeated updates and deletes. */
  readonly repeated: number
}

/** Draws the rounds of a seed. Each has one to three kills, the earliest first. */
export function drawRounds(seed: number, count: number): readonly Round[] {
  const kill = fc.record({
    whom: fc.constantFrom<Victim>('generator', 'executor', 'all'),
    part: fc.integer({ min: 0, max: 95 }).map(percent => percent / 100),
    afterMs: fc.integer({ min: 0, max: 200 }),
  })
  const kills = fc
    .array(kill, { minLength: 1, maxLength: 3, size: 'max' })
    .map(drawn => drawn.toSorted((a, b) => a.part - b.part))
  const names = Object.keys(doings) as RoundKind[]
  // The kinds take turns, so that every nightly run contains all of them.
  return fc
    .sample(kills, { seed, numRuns: count })
    .map((drawn, at) => ({ doing: names[at % names.length] ?? 'create', kills: drawn }))
}

/** Returns a description of a round. */
export function describeRound({ doing, kills }: Round): string {
  const kinds = kills.map(({ whom, part }) => `${whom} at ${Math.round(part * 100)} %`)
  return `${doing}, killed: ${kinds.join(', ')}`
}

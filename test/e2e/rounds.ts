import fc from 'fast-check'

/** What a deployment does to the objects of a round. */
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

/** Who is killed; they come back a moment later, as a supervisor would have it. */
export type Victim = 'generator' | 'executor' | 'all'

/** A kill, once a part of the calls was asked for, at least one, and a little later. */
export interface Kill {
  readonly whom: Victim
  readonly part: number
  readonly afterMs: number
}

/** A deployment by processes of their own, and who of them dies when. */
export interface Round {
  readonly doing: RoundKind
  readonly kills: readonly Kill[]
}

/** What a round came to. */
export interface RoundResult {
  readonly kills: readonly Victim[]
  /** Creates of which only a person can know. */
  readonly unknown: number
  /** Updates and deletes that were asked for a second time. */
  readonly repeated: number
}

/** Rounds of a seed: each with one kill to three, the earliest first. */
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
  // Each in turn, so that no night leaves one out.
  return fc
    .sample(kills, { seed, numRuns: count })
    .map((drawn, at) => ({ doing: names[at % names.length] ?? 'create', kills: drawn }))
}

/** A round in words. */
export function describeRound({ doing, kills }: Round): string {
  const kinds = kills.map(({ whom, part }) => `${whom} at ${Math.round(part * 100)} %`)
  return `${doing}, killed: ${kinds.join(', ')}`
}

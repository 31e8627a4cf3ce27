import fc from 'fast-check'

/** The changes of a round's deployment, with their number of calls. */
export const roundKinds = {
  create: { calls: 50 },
  update: { calls: 50 },
  replace: { calls: 100 },
  'delete-first': { calls: 100 },
  mixed: { calls: 70 },
  destroy: { calls: 50 },
  'destroy-1000': { calls: 1000 },
} as const

/** One of `roundKinds`. */
export type RoundKind = keyof typeof roundKinds

/**
 * The target of a kill: the generator, an executor, or all processes of the deployment. Each killed
 * process is replaced immediately, except the `up` or `destroy`: a standby generator resumes it.
 */
export type KillTarget = 'generator' | 'executor' | 'all'

/**
 * A kill. It happens `afterMs` ms after the provider has received the share `callShare` of all
 * calls, and at least one call.
 */
export interface Kill {
  readonly target: KillTarget
  readonly callShare: number
  readonly afterMs: number
}

/** A deployment by separate processes, and the kills that happen in it. */
export interface Round {
  readonly kind: RoundKind
  readonly kills: readonly Kill[]
}

/** The result of a round. */
export interface RoundResult {
  readonly kills: readonly KillTarget[]
  /** Number of creates whose end only a user can find out. */
  readonly unknownCreates: number
  /** Number of repeated updates and deletes. */
  readonly repeatedCalls: number
}

/** Draws the rounds of a seed. Each has one to three kills, the earliest first. */
export function drawRounds(seed: number, count: number): readonly Round[] {
  const kill = fc.record({
    target: fc.constantFrom<KillTarget>('generator', 'executor', 'all'),
    callShare: fc.integer({ min: 0, max: 95 }).map(percent => percent / 100),
    afterMs: fc.integer({ min: 0, max: 200 }),
  })
  const kills = fc
    .array(kill, { minLength: 1, maxLength: 3, size: 'max' })
    .map(drawnKills => drawnKills.toSorted((a, b) => a.callShare - b.callShare))
  const kinds = Object.keys(roundKinds) as RoundKind[]
  // The kinds take turns, so that every nightly run contains all of them.
  return fc.sample(kills, { seed, numRuns: count }).map((drawnKills, index) => ({
    kind: kinds[index % kinds.length] ?? 'create',
    kills: drawnKills,
  }))
}

/** Returns a description of a round. */
export function describeRound({ kind, kills }: Round): string {
  const killTexts = kills.map(
    ({ target, callShare }) => `${target} at ${Math.round(callShare * 100)} %`,
  )
  return `${kind}, killed: ${killTexts.join(', ')}`
}

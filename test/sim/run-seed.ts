import { drawSeed, runSeedFaults } from './seed-faults.ts'
import { shrink } from './shrink.ts'
import { isKnownViolation } from './known-violations.ts'
import type { Fault } from './faults.ts'
import type { WorldPlatform } from './world.ts'

/** The result of one seed, small enough for a message to another thread. */
export interface SeedReport {
  readonly seed: number
  readonly violations: readonly string[]
  /** The faults that are needed for the failure, if any. */
  readonly faults: readonly Fault[]
  /** The trace of the smallest run that still breaks a rule. */
  readonly lines: readonly string[]
  readonly counts: ReadonlyMap<string, number>
  readonly isUnknowable: boolean
  readonly deployments: number
  readonly resources: number
  readonly struck: number
}

/** Runs one seed. A failure is reduced to few faults. */
export async function runSeed(
  seed: number,
  options: { readonly isShrunk?: boolean; readonly platform?: WorldPlatform } = {},
): Promise<SeedReport> {
  // Stack traces are costly, so they are collected only for a failure.
  const stackLines = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  const { isShrunk, platform } = options
  const on = platform === undefined ? {} : { platform }
  const drawn = await drawSeed(seed, { isQuiet: true, ...on })
  let judged = await runSeedFaults(seed, drawn, { isQuiet: true })
  const violations = judged.violations.filter(one => !isKnownViolation(one))
  const isBad = violations.length > 0
  Error.stackTraceLimit = stackLines
  if (isBad) judged = await runSeedFaults(seed, drawn)
  const small = isBad && isShrunk === true ? await shrink(seed, drawn, judged) : judged
  const sizes = drawn.scenario.steps.map(({ program }) => program.length)
  let struck = 0
  for (const [key, count] of judged.counts) if (key.startsWith('fault: ')) struck += count
  return {
    seed,
    violations,
    faults: isBad ? small.faults : [],
    lines: isBad ? small.lines : [],
    counts: judged.counts,
    isUnknowable: judged.isUnknowable,
    deployments: judged.deployments,
    resources: Math.max(...sizes),
    struck,
  }
}

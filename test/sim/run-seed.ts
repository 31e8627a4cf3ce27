import { drawSeed, runSeedFaults } from './seed-faults.ts'
import { shrink } from './shrink.ts'
import { isKnownViolation } from './known-violations.ts'
import type { Fault } from './faults.ts'
import type { WorldPlatform } from './world.ts'

/** The result of one seed, small enough for a message to another thread. */
export interface SeedReport {
  readonly seed: number
  readonly violations: readonly string[]
  /** The faults of the failed run, reduced if requested; empty without a failure. */
  readonly faults: readonly Fault[]
  /** The trace of the run with these faults; empty without a failure. */
  readonly lines: readonly string[]
  readonly counts: ReadonlyMap<string, number>
  readonly hasUnknownCreate: boolean
  readonly deployments: number
  /** Number of resources of the largest program. */
  readonly resources: number
  /** Number of struck faults, including the drift of objects. */
  readonly faultCount: number
}

/** Runs one seed. With `shrinksFaults`, a failure is reduced to few faults. */
export async function runSeed(
  seed: number,
  options: { readonly shrinksFaults?: boolean; readonly platform?: WorldPlatform } = {},
): Promise<SeedReport> {
  // Stack traces are costly, so they are collected only for a failure.
  const stackLines = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  const { shrinksFaults, platform } = options
  const platformOption = platform === undefined ? {} : { platform }
  const drawnSeed = await drawSeed(seed, { isQuiet: true, ...platformOption })
  let result = await runSeedFaults(seed, drawnSeed, { isQuiet: true })
  const violations = result.violations.filter(violation => !isKnownViolation(violation))
  const isBad = violations.length > 0
  Error.stackTraceLimit = stackLines
  if (isBad) result = await runSeedFaults(seed, drawnSeed)
  const smallest = isBad && shrinksFaults === true ? await shrink(seed, drawnSeed, result) : result
  const sizes = drawnSeed.scenario.steps.map(({ program }) => program.length)
  let faultCount = 0
  for (const [key, count] of result.counts) if (key.startsWith('fault: ')) faultCount += count
  return {
    seed,
    violations,
    faults: isBad ? smallest.faults : [],
    lines: isBad ? smallest.lines : [],
    counts: result.counts,
    hasUnknownCreate: result.hasUnknownCreate,
    deployments: result.deployments,
    resources: Math.max(...sizes),
    faultCount,
  }
}

import type { Fault } from './faults.ts'
import { runSeedFaults, type SeedResult, type Seed } from './seed-faults.ts'

/** Maximum number of runs for reducing a failure. */
const runsMax = 40

/** Removes faults one after another while a rule is still broken. */
export async function shrink(
  seed: number,
  drawnSeed: Seed,
  failure: SeedResult,
): Promise<SeedResult> {
  let smallest = failure
  let runs = 0
  for (let position = 0; position < smallest.faults.length && runs < runsMax; runs += 1) {
    const faults: readonly Fault[] = smallest.faults.filter((_fault, index) => index !== position)
    const result = await runSeedFaults(seed, drawnSeed, { faults })
    if (result.violations.length > 0) smallest = result
    else position += 1
  }
  return smallest
}

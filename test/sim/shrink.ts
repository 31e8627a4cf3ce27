import type { Fault } from './faults.ts'
import { runSeedFaults, type SeedResult, type Seed } from './seed-faults.ts'

/** Maximum number of runs for reducing a failure. */
const runsMax = 40

/** Removes faults one after another while a rule is still broken. */
export async function shrink(seed: number, drawn: Seed, failed: SeedResult): Promise<SeedResult> {
  let least = failed
  let runs = 0
  for (let at = 0; at < least.faults.length && runs < runsMax; runs += 1) {
    const faults: readonly Fault[] = least.faults.filter((_fault, index) => index !== at)
    const ran = await runSeedFaults(seed, drawn, { faults })
    if (ran.violations.length > 0) least = ran
    else at += 1
  }
  return least
}

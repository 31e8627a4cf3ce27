import { createDraw } from './draw.ts'
import { drawFaults, type Fault } from './faults.ts'
import { type ScenarioResult, runScenario } from './run-scenario.ts'
import { drawScenario, type Scenario } from './scenario.ts'
import type { WorldPlatform, WorldOptions } from './world.ts'

/** A drawn seed: its scenario, its faults, and its run without faults. */
export interface Seed {
  readonly scenario: Scenario
  readonly faults: readonly Fault[]
  readonly faultlessResult: ScenarioResult
  readonly platform: WorldPlatform | undefined
}

/** The result of a seed under faults. */
export interface SeedResult extends ScenarioResult {
  readonly faults: readonly Fault[]
}

/** Draws the scenario and the faults of a seed, and runs the scenario without faults. */
export async function drawSeed(seed: number, worldOptions: WorldOptions = {}): Promise<Seed> {
  const draw = createDraw(seed)
  const scenario = drawScenario(draw.fork('scenario'))
  const faultlessResult = await runScenario(seed, scenario, [], worldOptions)
  const faults = drawFaults(draw.fork('faults'), faultlessResult.effects)
  return { scenario, faults, faultlessResult, platform: worldOptions.platform }
}

/** Runs a seed under faults, and compares the result with that of the run without faults. */
export async function runSeedFaults(
  seed: number,
  drawnSeed: Seed,
  options: WorldOptions & { readonly faults?: readonly Fault[] } = {},
): Promise<SeedResult> {
  const { scenario, faultlessResult, platform } = drawnSeed
  const faults = options.faults ?? drawnSeed.faults
  const result = await runScenario(seed, scenario, faults, {
    ...options,
    ...(platform === undefined ? {} : { platform }),
  })
  const violations = [
    ...faultlessResult.violations.map(violation => `without faults: ${violation}`),
    ...result.violations,
  ]
  if (violations.length === 0)
    violations.push(...findDifferences(faultlessResult.finalState, result.finalState))
  return { ...result, violations, faults }
}

function findDifferences(
  expected: readonly string[],
  actual: readonly string[],
): readonly string[] {
  const missingLines = expected.filter(line => !actual.includes(line))
  const extraLines = actual.filter(line => !expected.includes(line))
  if (missingLines.length === 0 && extraLines.length === 0 && expected.length === actual.length)
    return []
  const lines = [
    ...missingLines.map(line => `  - ${line}`),
    ...extraLines.map(line => `  + ${line}`),
  ]
  return [`the final state differs from the run without faults:\n${lines.join('\n')}`]
}

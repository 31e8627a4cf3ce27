import { createDraw } from './draw.ts'
import { drawFaults, type Fault } from './faults.ts'
import { type ScenarioResult, runScenario } from './run-scenario.ts'
import { drawScenario, type Scenario } from './scenario.ts'
import type { WorldPlatform, WorldOptions } from './world.ts'

/** A seed: its scenario, its faults, and its run without faults. */
export interface Seed {
  readonly scenario: Scenario
  readonly faults: readonly Fault[]
  readonly calm: ScenarioResult
  readonly platform: WorldPlatform | undefined
}

/** The result of a seed. */
export interface SeedResult extends ScenarioResult {
  readonly faults: readonly Fault[]
}

/** Draws a seed. */
export async function drawSeed(seed: number, trace: WorldOptions = {}): Promise<Seed> {
  const draw = createDraw(seed)
  const scenario = drawScenario(draw.fork('scenario'))
  const calm = await runScenario(seed, scenario, [], trace)
  const faults = drawFaults(draw.fork('faults'), calm.effects)
  return { scenario, faults, calm, platform: trace.platform }
}

/** Runs a seed under faults, and compares the result with that of the run without faults. */
export async function runSeedFaults(
  seed: number,
  drawn: Seed,
  options: WorldOptions & { readonly faults?: readonly Fault[] } = {},
): Promise<SeedResult> {
  const { scenario, calm, platform } = drawn
  const faults = options.faults ?? drawn.faults
  const ran = await runScenario(seed, scenario, faults, {
    ...options,
    ...(platform === undefined ? {} : { platform }),
  })
  const violations = [...calm.violations.map(one => `without faults: ${one}`), ...ran.violations]
  if (violations.length === 0) violations.push(...findDifferences(calm.final, ran.final))
  return { ...ran, violations, faults }
}

function findDifferences(expected: readonly string[], found: readonly string[]): readonly string[] {
  const missing = expected.filter(line => !found.includes(line))
  const extra = found.filter(line => !expected.includes(line))
  if (missing.length === 0 && extra.length === 0 && expected.length === found.length) return []
  const lines = [...missing.map(line => `  - ${line}`), ...extra.map(line => `  + ${line}`)]
  return [`the final state differs from the run without faults:\n${lines.join('\n')}`]
}

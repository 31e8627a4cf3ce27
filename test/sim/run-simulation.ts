import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

const main = fileURLToPath(new URL('main.ts', import.meta.url))

/** Runs the simulation with these arguments in a process, and expects that no rule was broken. */
export function expectSoundSimulation(args: readonly string[]): void {
  const run = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' })
  expect(run.status, run.stdout.slice(-6_000) + run.stderr.slice(-2_000)).toBe(0)
}

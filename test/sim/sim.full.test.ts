import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const main = fileURLToPath(new URL('main.ts', import.meta.url))

test.each([
  ['1,000 seeds', ['--seeds', '1000']],
  ['300 seeds over the adapters for AWS', ['--seeds', '300', '--platform', 'aws']],
])('%s break no rule and reach the required coverage', (_name, args) => {
  const run = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' })
  expect(run.status, run.stdout.slice(-6_000) + run.stderr.slice(-2_000)).toBe(0)
})

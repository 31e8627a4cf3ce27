import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('1,000 seeds break no rule, and see everything that they must', () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const run = spawnSync(process.execPath, [main, '--seeds', '1000'], { encoding: 'utf8' })
  expect(run.status, run.stdout.slice(-6_000) + run.stderr.slice(-2_000)).toBe(0)
})

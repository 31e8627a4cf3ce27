import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('every mutation is detected', () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const run = spawnSync(process.execPath, [main], { encoding: 'utf8' })
  expect(run.status, run.stdout.slice(-6_000) + run.stderr.slice(-2_000)).toBe(0)
})

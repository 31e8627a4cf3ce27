import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('every mutation is detected', () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const run = spawnSync(process.execPath, [main], { encoding: 'utf8' })
  const survivorLines = run.stdout.split('\n').filter(line => line.startsWith('SURVIVES'))
  const report = [...survivorLines, run.stdout.slice(-1_000), run.stderr.slice(-2_000)].join('\n')
  expect(run.status, report).toBe(0)
})

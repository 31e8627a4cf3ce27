/** `npm run check`: all static checks of the code. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runChild } from './run-child.mjs'
import { binPath, ourNode, root } from './paths.mjs'
import { prepare } from './prepare.mjs'
import { printProgress, elapsedSince } from './messages.mjs'
import { vitest } from './run-tests.mjs'

/** Ordered by duration, the fastest first. A check without its configuration file is skipped. */
const checks = [
  { name: 'format', file: binPath('biome'), args: ['format', '.'] },
  { name: 'lint', file: binPath('oxlint'), args: ['--type-aware'], needs: '.oxlintrc.json' },
  { name: 'types', file: binPath('tsc'), args: ['-p', '.'] },
  { name: 'dead code', file: binPath('knip'), args: [], needs: 'knip.json' },
  { name: 'house rules', file: ourNode, args: [vitest, 'run', 'test/house'], needs: 'test/house' },
]

/** Runs all checks, even after a failure, and reports the failed ones at the end. */
export async function runChecks() {
  await prepare()
  const bad = []
  for (const { name, file, args, needs } of checks) {
    if (needs !== undefined && !existsSync(join(root, needs))) continue
    const beganMs = Date.now()
    const status = await runChild(file, args)
    printProgress(`${name}: ${status === 0 ? 'good' : 'failed'} (${elapsedSince(beganMs)})`)
    if (status !== 0) bad.push(name)
  }
  if (bad.length > 0) console.error(`error: failed checks: ${bad.join(', ')}`)
  return bad.length === 0 ? 0 : 1
}

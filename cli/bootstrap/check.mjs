/** `npm run check`: all static checks of the code. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runChild } from './run-child.mjs'
import { binPathOf, projectNode, root } from './paths.mjs'
import { prepare } from './prepare.mjs'
import { printProgress, formatSecondsSince } from './messages.mjs'
import { vitest } from './run-tests.mjs'

/** The checks, the fastest first. A check is skipped when its `requiredPath` does not exist. */
const checks = [
  { name: 'format', file: binPathOf('biome'), args: ['format', '.'] },
  {
    name: 'lint',
    file: binPathOf('oxlint'),
    args: ['--type-aware'],
    requiredPath: '.oxlintrc.json',
  },
  { name: 'types', file: binPathOf('tsc'), args: ['-p', '.'] },
  { name: 'types of the dashboard', file: binPathOf('tsc'), args: ['-p', 'dashboard'] },
  { name: 'dead code', file: binPathOf('knip'), args: [], requiredPath: 'knip.json' },
  {
    name: 'house rules',
    file: projectNode,
    args: [vitest, 'run', 'test/house'],
    requiredPath: 'test/house',
  },
]

/** Runs all checks, even after a failure, and reports the failed ones at the end. */
export async function runChecks() {
  await prepare()
  const failedChecks = []
  for (const { name, file, args, requiredPath } of checks) {
    if (requiredPath !== undefined && !existsSync(join(root, requiredPath))) continue
    const startMs = Date.now()
    const status = await runChild(file, args)
    printProgress(`${name}: ${status === 0 ? 'passed' : 'failed'} (${formatSecondsSince(startMs)})`)
    if (status !== 0) failedChecks.push(name)
  }
  if (failedChecks.length > 0) console.error(`error: failed checks: ${failedChecks.join(', ')}`)
  return failedChecks.length === 0 ? 0 : 1
}

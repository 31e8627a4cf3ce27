/** `npm run check`: everything that can be said about the code without running it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runChild } from './child.mjs'
import { bin, ourNode, root } from './places.mjs'
import { prepare } from './prepare.mjs'
import { say, since } from './saying.mjs'
import { vitest } from './tests.mjs'

/** In order of how fast they answer; a check whose configuration is not there is left out. */
const checks = [
  { name: 'format', file: bin('biome'), words: ['format', '.'] },
  { name: 'lint', file: bin('oxlint'), words: ['--type-aware'], needs: '.oxlintrc.json' },
  { name: 'types', file: bin('tsc'), words: ['-p', '.'] },
  { name: 'dead code', file: bin('knip'), words: [], needs: 'knip.json' },
  { name: 'house rules', file: ourNode, words: [vitest, 'run', 'test/house'], needs: 'test/house' },
]

/** Runs all checks, whatever they find, and says at the end which failed. */
export async function check() {
  await prepare()
  const bad = []
  for (const { name, file, words, needs } of checks) {
    if (needs !== undefined && !existsSync(join(root, needs))) continue
    const beganMs = Date.now()
    const status = await runChild(file, words)
    say(`${name}: ${status === 0 ? 'good' : 'failed'} (${since(beganMs)})`)
    if (status !== 0) bad.push(name)
  }
  if (bad.length > 0) console.error(`error: failed: ${bad.join(', ')}`)
  return bad.length === 0 ? 0 : 1
}

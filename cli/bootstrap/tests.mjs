/** The tiers of tests: vitest, the golden cases, what needs emulators, and one count over all. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runChild } from './child.mjs'
import { ourEnvironment, ourNode, programs, root } from './places.mjs'
import { prepare } from './prepare.mjs'
import { say, since } from './saying.mjs'

export const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const golden = join(root, 'test', 'golden', 'run-tier.mjs')
export const emulators = join(root, 'infra', 'emulators', 'main.ts')
export const cloud = join(root, 'infra', 'local', 'main.ts')

/**
 * Runs a tier and ends with a line `N passed, N failed`, to which `, N skipped` may follow. `words`
 * go to vitest: whoever chooses among tests wants no golden cases. The full tier contains the one
 * of AWS.
 */
export async function runTier(tier, words) {
  await prepare(programs)
  const beganMs = Date.now()
  const env = ourEnvironment({ ANTICHAIN_TIER: tier })
  const counts = [await runVitest(tier, words, env)]
  const isWhole = words.length === 0 && tier !== 'aws'
  if (isWhole && existsSync(golden)) counts.push(await runGolden(env))
  if (isWhole && tier === 'full')
    counts.push(await runVitest('aws', [], ourEnvironment({ ANTICHAIN_TIER: 'aws' })))
  const sum = key => counts.reduce((total, count) => total + count[key], 0)
  say(`tests took ${since(beganMs)}`)
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped}`)
  return sum('failed') === 0 ? 0 : 1
}

async function runVitest(tier, words, env) {
  const report = join(root, '.cache', `vitest-${tier}-${process.pid}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  // A tier may have no tests of a kind; whoever names some wants them to exist.
  const options = [
    'run',
    ...(words.length === 0 ? ['--passWithNoTests'] : []),
    ...reporters,
    ...words,
  ]
  // What talks to AWS does so to emulators, which run as long as the tests do.
  const under = ['aws', 'nightly'].includes(tier) ? [emulators, '--', ourNode] : []
  const status = await runChild(ourNode, [...under, vitest, ...options], { env })
  const counts = existsSync(report) ? countsOf(report) : nothing
  rmSync(report, { force: true })
  return atLeastOneFailed(status, counts)
}

const nothing = { passed: 0, failed: 0, skipped: 0 }

/**
 * Counts of a report. A file that could not be run has no tests in it, and counts as one failure.
 */
function countsOf(report) {
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  )
  const isBroken = ({ status, assertionResults }) =>
    status === 'failed' && !assertionResults.some(one => one.status === 'failed')
  const broken = testResults.filter(isBroken).length
  return { passed: numPassedTests, failed: numFailedTests + broken, skipped: numPendingTests }
}

async function runGolden(env) {
  let text = ''
  const heard = chunk => {
    text = (text + chunk).slice(-500)
  }
  const status = await runChild(ourNode, [golden], { env, heard })
  const [, passed = 0, failed = 0, skipped = 0] =
    /(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$/.exec(text) ?? []
  const counts = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) }
  return atLeastOneFailed(status, counts)
}

/** A runner that breaks down must not look like a run without failures. */
function atLeastOneFailed(status, counts) {
  return status === 0 ? counts : { ...counts, failed: Math.max(1, counts.failed) }
}

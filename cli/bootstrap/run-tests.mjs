/** Test tiers: vitest, the golden cases, the tests with emulators, and one count over all. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { runChild } from './run-child.mjs'
import { compiledPrograms, createOwnVariables, ourNode, programs, root } from './paths.mjs'
import { prepare } from './prepare.mjs'
import { printProgress, elapsedSince } from './messages.mjs'

export const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const golden = join(root, 'test', 'golden', 'run-tier.mjs')
export const emulatorsScript = join(root, 'infra', 'emulators', 'main.ts')
export const cloudScript = join(root, 'infra', 'local-cloud', 'main.ts')

/**
 * Runs a tier. The last line is `N passed, N failed`, optionally with `, N skipped`. The arguments
 * are passed to vitest, and a selection of tests excludes the golden cases. The full tier includes
 * the tier of AWS.
 */
export async function runTier(tier, args) {
  await prepare(programs)
  const beganMs = Date.now()
  const env = environmentOf(tier)
  const counts = [await runVitest(tier, args, env)]
  const isWhole = args.length === 0 && tier !== 'aws'
  if (isWhole && existsSync(golden)) counts.push(await runGolden(env))
  if (isWhole && tier === 'full') counts.push(await runVitest('aws', [], environmentOf('aws')))
  const sum = key => counts.reduce((total, count) => total + count[key], 0)
  printProgress(`tests took ${elapsedSince(beganMs)}`)
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''
  // Printed at the end, so that the last lines of a log name the failures.
  for (const name of counts.flatMap(count => count.names)) console.log(`not passed: ${name}`)
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped}`)
  return sum('failed') === 0 ? 0 : 1
}

const environmentOf = tier =>
  createOwnVariables({ ANTICHAIN_TIER: tier, NODE_COMPILE_CACHE: compiledPrograms })

async function runVitest(tier, args, env) {
  const report = join(root, '.cache', `vitest-${tier}-${process.pid}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  // A tier may have no tests of a kind, but tests that are named must exist.
  const options = [
    'run',
    ...(args.length === 0 ? ['--passWithNoTests'] : []),
    ...reporters,
    ...args,
  ]
  // Tests of AWS use emulators, which run as long as the tests.
  const under = ['aws', 'nightly'].includes(tier) ? [emulatorsScript, '--', ourNode] : []
  const status = await runChild(ourNode, [...under, vitest, ...options], { env })
  const counts = existsSync(report) ? countsOf(report) : nothing
  rmSync(report, { force: true })
  return countRunnerFailure(status, counts)
}

const nothing = { passed: 0, failed: 0, skipped: 0, names: [] }

/**
 * Returns the counts of a report. A file that could not be run contains no tests and counts as one
 * failure.
 */
function countsOf(report) {
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  )
  const names = []
  let broken = 0
  for (const { status, name: file, message, assertionResults } of testResults) {
    if (status !== 'failed') continue
    const failed = assertionResults.filter(one => one.status === 'failed')
    if (failed.length === 0) broken += 1
    const failures = failed.length === 0 ? [firstLineOf(message)] : failed.map(describeFailure)
    names.push(...failures.map(text => `${relative(root, file)}: ${text}`))
  }
  const failed = numFailedTests + broken
  return { passed: numPassedTests, failed, skipped: numPendingTests, names }
}

/** Formats a failed test as one line: its name and the first line of its first message. */
function describeFailure({ fullName, failureMessages }) {
  const [message = ''] = failureMessages
  return `${fullName}: ${firstLineOf(message)}`
}

const firstLineOf = text => text.split('\n')[0].slice(0, 200)

async function runGolden(env) {
  let text = ''
  const onOutput = chunk => {
    text = (text + chunk).slice(-2_000)
  }
  const status = await runChild(ourNode, [golden], { env, onOutput })
  const [, passed = 0, failed = 0, skipped = 0] =
    /(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$/.exec(text) ?? []
  const names = text.split('\n').filter(line => / (fails|passes now: .*)$/.test(line))
  const counts = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped), names }
  return countRunnerFailure(status, counts)
}

/** A runner that crashes must not count as a run without failures. */
function countRunnerFailure(status, counts) {
  return status === 0 ? counts : { ...counts, failed: Math.max(1, counts.failed) }
}

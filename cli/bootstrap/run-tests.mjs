/** Runs test tiers: vitest, the golden cases and the tests with emulators. Sums their counts. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { runChild } from './run-child.mjs'
import {
  compileCacheFolder,
  createProjectVariables,
  projectNode,
  programFolders,
  root,
} from './paths.mjs'
import { prepare } from './prepare.mjs'
import { printProgress, elapsedSince } from './messages.mjs'

export const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const goldenScript = join(root, 'test', 'golden', 'run-tier.mjs')
export const emulatorsScript = join(root, 'infra', 'emulators', 'main.ts')
export const cloudScript = join(root, 'infra', 'local-cloud', 'main.ts')

/**
 * Runs a tier. The last line is `N passed, N failed`, optionally with `, N skipped`. The arguments
 * are passed to vitest, and a selection of tests excludes the golden cases. The full tier includes
 * the tier of AWS.
 */
export async function runTier(tier, args) {
  await prepare(programFolders)
  const startMs = Date.now()
  const env = createTierVariables(tier)
  const counts = [await runVitest(tier, args, env)]
  const isWholeTier = args.length === 0 && tier !== 'aws'
  if (isWholeTier && existsSync(goldenScript)) counts.push(await runGolden(env))
  if (isWholeTier && tier === 'full')
    counts.push(await runVitest('aws', [], createTierVariables('aws')))
  const sum = key => counts.reduce((total, count) => total + count[key], 0)
  printProgress(`tests took ${elapsedSince(startMs)}`)
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''
  // Printed at the end, so that the last lines of a log name the failures.
  for (const name of counts.flatMap(count => count.names)) console.log(`not passed: ${name}`)
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped}`)
  return sum('failed') === 0 ? 0 : 1
}

const createTierVariables = tier =>
  createProjectVariables({ ANTICHAIN_TIER: tier, NODE_COMPILE_CACHE: compileCacheFolder })

async function runVitest(tier, args, env) {
  const report = join(root, '.cache', `vitest-${tier}-${process.pid}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  // A tier may have no tests of a kind, but tests that the arguments name must exist.
  const options = [
    'run',
    ...(args.length === 0 ? ['--passWithNoTests'] : []),
    ...reporters,
    ...args,
  ]
  // Tests of AWS use emulators, which run as long as the tests.
  const wrapperArgs = ['aws', 'nightly'].includes(tier) ? [emulatorsScript, '--', projectNode] : []
  // The last test of the whole tier compares the permissions that all tests have used.
  const ledger = tier === 'aws' && args.length === 0 ? createLedgerFolder() : undefined
  const ledgerVariables = ledger === undefined ? {} : { ANTICHAIN_PERMISSION_LEDGER: ledger }
  const status = await runChild(projectNode, [...wrapperArgs, vitest, ...options], {
    env: { ...env, ...ledgerVariables },
  })
  if (ledger !== undefined) rmSync(ledger, { recursive: true, force: true })
  const counts = existsSync(report) ? countsOf(report) : emptyCounts
  rmSync(report, { force: true })
  return countRunnerFailure(status, counts)
}

const createLedgerFolder = () => mkdtempSync(join(root, '.cache', 'permission-ledger-'))

const emptyCounts = { passed: 0, failed: 0, skipped: 0, names: [] }

/**
 * Returns the counts of a report. A file that could not be run contains no tests and counts as one
 * failure.
 */
function countsOf(report) {
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  )
  const names = []
  let brokenFiles = 0
  for (const { status, name: file, message, assertionResults } of testResults) {
    if (status !== 'failed') continue
    const failed = assertionResults.filter(assertion => assertion.status === 'failed')
    if (failed.length === 0) brokenFiles += 1
    const failures = failed.length === 0 ? [firstLineOf(message)] : failed.map(describeFailure)
    names.push(...failures.map(text => `${relative(root, file)}: ${text}`))
  }
  const failed = numFailedTests + brokenFiles
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
  const status = await runChild(projectNode, [goldenScript], { env, onOutput })
  const [, passed = 0, failed = 0, skipped = 0] =
    /(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$/.exec(text) ?? []
  const names = text.split('\n').filter(line => / (fails|passes now: .*)$/.test(line))
  const counts = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped), names }
  return countRunnerFailure(status, counts)
}

/** Counts at least one failure when the runner failed, because a crash must not pass. */
function countRunnerFailure(status, counts) {
  return status === 0 ? counts : { ...counts, failed: Math.max(1, counts.failed) }
}

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
import { printProgress, formatSecondsSince } from './messages.mjs'

export const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
/** The runners of cases with recorded results: of Pulumi's engine, and of OpenTofu. */
const goldenScripts = ['golden', 'tfgolden'].map(folder =>
  join(root, 'test', folder, 'run-tier.mjs'),
)
export const emulatorsScript = join(root, 'infra', 'emulators', 'main.ts')
export const cloudScript = join(root, 'infra', 'local-cloud', 'main.ts')

/**
 * Runs a tier. The last line is `N passed, N failed`, optionally with `, N skipped`. The arguments
 * are passed to vitest, and with any argument no golden cases run. Without arguments, every tier
 * except `aws` has golden cases, and the full tier includes the tier of AWS.
 */
export async function runTier(tier, args) {
  await prepare(programFolders)
  const startMs = Date.now()
  const env = createTierVariables(tier)
  const counts = [await runVitest(tier, args, env)]
  const isWholeTier = args.length === 0 && tier !== 'aws'
  if (isWholeTier)
    for (const script of selectGoldenScripts(tier)) counts.push(await runGolden(script, env))
  if (isWholeTier && tier === 'full')
    counts.push(await runVitest('aws', [], createTierVariables('aws')))
  const sum = key => counts.reduce((total, count) => total + count[key], 0)
  printProgress(`tests took ${formatSecondsSince(startMs)}`)
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''
  // Printed at the end, so that the last lines of a log name the failures.
  for (const failure of counts.flatMap(count => count.failures))
    console.log(`not passed: ${failure}`)
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped}`)
  return sum('failed') === 0 ? 0 : 1
}

const createTierVariables = tier =>
  createProjectVariables({ ANTICHAIN_TIER: tier, NODE_COMPILE_CACHE: compileCacheFolder })

async function runVitest(tier, args, env) {
  const reportPath = join(root, '.cache', `vitest-${tier}-${process.pid}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportPath}`]
  // A tier may have no vitest tests, but tests that the arguments name must exist.
  const options = [
    'run',
    ...(args.length === 0 ? ['--passWithNoTests'] : []),
    ...reporters,
    ...args,
  ]
  // The tests of these tiers use AWS emulators, which run as long as the tests.
  const wrapperArgs = ['aws', 'nightly'].includes(tier) ? [emulatorsScript, '--', projectNode] : []
  // All tests of the tier record the permissions that they use, and the last test reads them.
  const ledgerFolder = tier === 'aws' && args.length === 0 ? createLedgerFolder() : undefined
  const ledgerVariables =
    ledgerFolder === undefined ? {} : { ANTICHAIN_PERMISSION_LEDGER: ledgerFolder }
  const status = await runChild(projectNode, [...wrapperArgs, vitest, ...options], {
    env: { ...env, ...ledgerVariables },
  })
  if (ledgerFolder !== undefined) rmSync(ledgerFolder, { recursive: true, force: true })
  const counts = existsSync(reportPath) ? readCounts(reportPath) : emptyCounts
  rmSync(reportPath, { force: true })
  return countRunnerFailure(status, counts)
}

const createLedgerFolder = () => mkdtempSync(join(root, '.cache', 'permission-ledger-'))

const emptyCounts = { passed: 0, failed: 0, skipped: 0, failures: [] }

/**
 * Returns the counts in a report file of vitest, and a line for each failure. A test file that
 * could not be run contains no tests and counts as one failure.
 */
function readCounts(reportPath) {
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
    readFileSync(reportPath, 'utf8'),
  )
  const failures = []
  let brokenFileCount = 0
  for (const { status, name: file, message, assertionResults } of testResults) {
    if (status !== 'failed') continue
    const failedTests = assertionResults.filter(assertion => assertion.status === 'failed')
    if (failedTests.length === 0) brokenFileCount += 1
    const texts =
      failedTests.length === 0 ? [firstLineOf(message)] : failedTests.map(formatTestFailure)
    failures.push(...texts.map(text => `${relative(root, file)}: ${text}`))
  }
  const failed = numFailedTests + brokenFileCount
  return { passed: numPassedTests, failed, skipped: numPendingTests, failures }
}

/** Formats a failed test as one line: its name and the first line of its first message. */
function formatTestFailure({ fullName, failureMessages }) {
  const [message = ''] = failureMessages
  return `${fullName}: ${firstLineOf(message)}`
}

const firstLineOf = text => text.split('\n')[0].slice(0, 200)

/** Lists the golden runners of a tier. The nightly tier has no cases of OpenTofu. */
const selectGoldenScripts = tier =>
  goldenScripts.slice(0, tier === 'nightly' ? 1 : 2).filter(existsSync)

/** Length of the end of a golden runner's output, which has its counts and failures. */
const outputEndChars = 2_000

async function runGolden(script, env) {
  let text = ''
  const onOutput = chunk => {
    text = (text + chunk).slice(-outputEndChars)
  }
  const status = await runChild(projectNode, [script], { env, onOutput })
  const [, passed = 0, failed = 0, skipped = 0] =
    /(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$/.exec(text) ?? []
  const failures = text.split('\n').filter(line => / (fails|passes now: .*)$/.test(line))
  const counts = {
    passed: Number(passed),
    failed: Number(failed),
    skipped: Number(skipped),
    failures,
  }
  return countRunnerFailure(status, counts)
}

/** Counts at least one failure when the runner failed, because a crash must not pass. */
function countRunnerFailure(status, counts) {
  return status === 0 ? counts : { ...counts, failed: Math.max(1, counts.failed) }
}

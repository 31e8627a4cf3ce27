import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runNode } from './run-node.ts'
import type { Suite } from './mutation.ts'

/** A test that passed. `file`: the absolute path of its file. */
export interface PassedTest {
  readonly file: string
  readonly name: string
}

/** The verdict of a suite on a tree. `broken`: the suite could not be run completely. */
export type SuiteVerdict =
  /** `passedTests` has no element for the simulation. */
  | { readonly kind: 'passes'; readonly passedTests: readonly PassedTest[] }
  | { readonly kind: 'fails'; readonly failure: string }
  | { readonly kind: 'broken'; readonly reason: string }

/** Time limit of one suite on a mutated tree, in ms. */
const suiteMs = 240_000

/** Runs a suite in a copy of the project, until its first failure. */
export function runSuite(folder: string, suite: Suite, timeoutMs = suiteMs): Promise<SuiteVerdict> {
  if (suite.kind === 'seeds') return runSeeds(folder, suite, timeoutMs)
  const { file, namePattern } = suite
  return runTestFiles(folder, { files: [file], namePattern, timeoutMs })
}

/** Runs test files of one tier: all of their tests, or those whose names match the pattern. */
export async function runTestFiles(
  folder: string,
  options: {
    readonly files: readonly string[]
    readonly namePattern: string | undefined
    readonly timeoutMs: number
  },
): Promise<SuiteVerdict> {
  const { files, namePattern, timeoutMs } = options
  const report = join(folder, 'report.json')
  const reporterArgs = ['--bail=1', '--reporter=json', `--outputFile.json=${report}`]
  const result = await runNode(
    [
      join(folder, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      ...files,
      ...reporterArgs,
      ...(namePattern === undefined ? [] : ['-t', namePattern]),
    ],
    { folder, timeoutMs, env: { ANTICHAIN_TIER: tierOf(files), ANTICHAIN_CASES: '1' } },
  )
  const text = await readFile(report, 'utf8').catch(() => '')
  await rm(report, { force: true })
  if (result.status === undefined) return createTimeoutVerdict(timeoutMs)
  return verdictOf(text === '' ? [] : parseAssertions(text), result)
}

/** Returns the tier of the first test file. The groups of Pulumi's tests are in tier `full`. */
export function tierOf([file = '']: readonly string[]): string {
  if (/^test\/lifecycle\/\w+\//.test(file)) return 'full'
  return /\.(full|nightly)\.test\.ts$/.exec(file)?.[1] ?? 'readme'
}

interface Assertion {
  readonly file: string
  readonly fullName: string
  readonly status: string
}

function parseAssertions(report: string): readonly Assertion[] {
  const { testResults } = JSON.parse(report) as {
    readonly testResults: readonly {
      readonly name: string
      readonly assertionResults: readonly Omit<Assertion, 'file'>[]
    }[]
  }
  return testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.map(assertion => ({ ...assertion, file })),
  )
}

/**
 * Returns the verdict of a test run. If the files of a tree cannot even be loaded, no test has
 * detected the mutation.
 */
function verdictOf(
  assertions: readonly Assertion[],
  { status, output }: { readonly status: number | undefined; readonly output: string },
): SuiteVerdict {
  const failedAssertion = assertions.find(assertion => assertion.status === 'failed')
  if (failedAssertion !== undefined)
    return { kind: 'fails', failure: failedAssertion.fullName.trim() }
  const passedTests = assertions.flatMap(({ status: verdict, file, fullName }) =>
    verdict === 'passed' ? [{ file, name: fullName.trim() }] : [],
  )
  if (status === 0 && passedTests.length > 0) return { kind: 'passes', passedTests }
  return { kind: 'broken', reason: `no test failed and none passed: ${output.slice(-2_000)}` }
}

async function runSeeds(
  folder: string,
  { count, platform }: Suite & { readonly kind: 'seeds' },
  timeoutMs: number,
): Promise<SuiteVerdict> {
  const script = join(folder, 'test', 'mutations', 'seeds.ts')
  const args = [script, String(count), ...(platform === undefined ? [] : [platform])]
  const { status, output } = await runNode(args, { folder, timeoutMs, env: {} })
  if (status === undefined) return createTimeoutVerdict(timeoutMs)
  const brokenRule = /^broken rule: (.*)$/m.exec(output)?.[1]
  if (brokenRule !== undefined) return { kind: 'fails', failure: brokenRule }
  if (status === 0) return { kind: 'passes', passedTests: [] }
  return { kind: 'broken', reason: output.slice(-2_000) }
}

function createTimeoutVerdict(timeoutMs: number): SuiteVerdict {
  return { kind: 'broken', reason: `the suite exceeded its limit of ${timeoutMs / 1_000} s` }
}

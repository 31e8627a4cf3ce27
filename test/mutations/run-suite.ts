import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runNode } from './run-node.ts'
import type { Suite } from './mutation.ts'

/** The verdict of a suite on a tree. `broken`: the suite could not be run completely. */
export type SuiteVerdict =
  | { readonly kind: 'passes'; readonly names: readonly string[] }
  | { readonly kind: 'fails'; readonly by: string }
  | { readonly kind: 'broken'; readonly why: string }

/** Time limit of one suite on a mutated tree, in ms. */
const suiteMs = 240_000

/** Runs a suite in a copy of the project, until its first failure. */
export function runSuite(folder: string, suite: Suite, withinMs = suiteMs): Promise<SuiteVerdict> {
  if (suite.kind === 'seeds') return runSeeds(folder, suite, withinMs)
  const { file, named } = suite
  return runTestFiles(folder, { files: [file], named, withinMs })
}

/** Runs whole test files of one tier. */
export async function runTestFiles(
  folder: string,
  options: {
    readonly files: readonly string[]
    readonly named: string | undefined
    readonly withinMs: number
  },
): Promise<SuiteVerdict> {
  const { files, named, withinMs } = options
  const report = join(folder, 'report.json')
  const reporterArgs = ['--bail=1', '--reporter=json', `--outputFile.json=${report}`]
  const ended = await runNode(
    [
      join(folder, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      ...files,
      ...reporterArgs,
      ...(named === undefined ? [] : ['-t', named]),
    ],
    { folder, withinMs, env: { ANTICHAIN_TIER: tierOf(files), ANTICHAIN_CASES: '1' } },
  )
  const text = await readFile(report, 'utf8').catch(() => '')
  await rm(report, { force: true })
  if (ended.status === undefined) return createLateVerdict(withinMs)
  return verdictOf(text === '' ? [] : parseAssertions(text), ended)
}

/** Returns the tier of these test files. The groups of Pulumi's tests are in the second tier. */
export function tierOf([file = '']: readonly string[]): string {
  if (/^test\/lifecycle\/\w+\//.test(file)) return 'full'
  return /\.(full|nightly)\.test\.ts$/.exec(file)?.[1] ?? 'readme'
}

interface Assertion {
  readonly fullName: string
  readonly status: string
}

function parseAssertions(report: string): readonly Assertion[] {
  const { testResults } = JSON.parse(report) as {
    readonly testResults: readonly { readonly assertionResults: readonly Assertion[] }[]
  }
  return testResults.flatMap(({ assertionResults }) => assertionResults)
}

/**
 * Returns the verdict of a test run. If the files of a tree cannot even be loaded, no test has
 * detected the mutation.
 */
function verdictOf(
  assertions: readonly Assertion[],
  { status, output }: { readonly status: number | undefined; readonly output: string },
): SuiteVerdict {
  const failed = assertions.find(one => one.status === 'failed')
  if (failed !== undefined) return { kind: 'fails', by: failed.fullName.trim() }
  const names = assertions.flatMap(one => (one.status === 'passed' ? [one.fullName.trim()] : []))
  if (status === 0 && names.length > 0) return { kind: 'passes', names }
  return { kind: 'broken', why: `no test failed and none passed: ${output.slice(-2_000)}` }
}

async function runSeeds(
  folder: string,
  { count, platform }: Suite & { readonly kind: 'seeds' },
  withinMs: number,
): Promise<SuiteVerdict> {
  const script = join(folder, 'test', 'mutations', 'seeds.ts')
  const args = [script, String(count), ...(platform === undefined ? [] : [platform])]
  const { status, output } = await runNode(args, { folder, withinMs, env: {} })
  if (status === undefined) return createLateVerdict(withinMs)
  const brokenRule = /^broken rule: (.*)$/m.exec(output)?.[1]
  if (brokenRule !== undefined) return { kind: 'fails', by: brokenRule }
  if (status === 0) return { kind: 'passes', names: [] }
  return { kind: 'broken', why: output.slice(-2_000) }
}

function createLateVerdict(withinMs: number): SuiteVerdict {
  return { kind: 'broken', why: `the suite exceeded its limit of ${withinMs / 1_000} s` }
}

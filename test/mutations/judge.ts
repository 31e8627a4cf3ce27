import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runNode } from './child.ts'
import type { Suite } from './mutation.ts'

/** What a suite says of a tree. `broken`: it could not be run to an answer. */
export type Verdict =
  | { readonly kind: 'passes'; readonly names: readonly string[] }
  | { readonly kind: 'fails'; readonly by: string }
  | { readonly kind: 'broken'; readonly why: string }

/** The longest that one suite may take on a mutated tree, in ms. */
const suiteMs = 240_000

/** Runs a suite in a copy of the project, until its first failure. */
export function judge(folder: string, suite: Suite, withinMs = suiteMs): Promise<Verdict> {
  if (suite.kind === 'seeds') return judgeSeeds(folder, suite, withinMs)
  const { file, named } = suite
  return judgeTests(folder, { files: [file], named, withinMs })
}

/** Runs whole files of tests, all of one tier. */
export async function judgeTests(
  folder: string,
  about: {
    readonly files: readonly string[]
    readonly named: string | undefined
    readonly withinMs: number
  },
): Promise<Verdict> {
  const { files, named, withinMs } = about
  const report = join(folder, 'report.json')
  const words = ['--bail=1', '--reporter=json', `--outputFile.json=${report}`]
  const ended = await runNode(
    [
      join(folder, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      ...files,
      ...words,
      ...(named === undefined ? [] : ['-t', named]),
    ],
    { folder, withinMs, env: { ANTICHAIN_TIER: tierOf(files), ANTICHAIN_CASES: '1' } },
  )
  const text = await readFile(report, 'utf8').catch(() => '')
  await rm(report, { force: true })
  if (ended.status === undefined) return late(withinMs)
  return verdictOf(text === '' ? [] : assertionsIn(text), ended)
}

/** The tier whose tests these files are; the groups of the original's tests are the second's. */
export function tierOf([file = '']: readonly string[]): string {
  if (/^test\/lifecycle\/\w+\//.test(file)) return 'full'
  return /\.(full|nightly)\.test\.ts$/.exec(file)?.[1] ?? 'readme'
}

interface Assertion {
  readonly fullName: string
  readonly status: string
}

function assertionsIn(report: string): readonly Assertion[] {
  const { testResults } = JSON.parse(report) as {
    readonly testResults: readonly { readonly assertionResults: readonly Assertion[] }[]
  }
  return testResults.flatMap(({ assertionResults }) => assertionResults)
}

/** A tree of which not even the files can be loaded has not been caught by any test. */
function verdictOf(
  assertions: readonly Assertion[],
  { status, output }: { readonly status: number | undefined; readonly output: string },
): Verdict {
  const failed = assertions.find(one => one.status === 'failed')
  if (failed !== undefined) return { kind: 'fails', by: failed.fullName.trim() }
  const names = assertions.flatMap(one => (one.status === 'passed' ? [one.fullName.trim()] : []))
  if (status === 0 && names.length > 0) return { kind: 'passes', names }
  return { kind: 'broken', why: `no test failed and none passed: ${output.slice(-2_000)}` }
}

async function judgeSeeds(
  folder: string,
  { count, platform }: Suite & { readonly kind: 'seeds' },
  withinMs: number,
): Promise<Verdict> {
  const script = join(folder, 'test', 'mutations', 'seeds.ts')
  const words = [script, String(count), ...(platform === undefined ? [] : [platform])]
  const { status, output } = await runNode(words, { folder, withinMs, env: {} })
  if (status === undefined) return late(withinMs)
  const said = /^broken rule: (.*)$/m.exec(output)?.[1]
  if (said !== undefined) return { kind: 'fails', by: said }
  if (status === 0) return { kind: 'passes', names: [] }
  return { kind: 'broken', why: output.slice(-2_000) }
}

function late(withinMs: number): Verdict {
  return { kind: 'broken', why: `it had not ended after ${withinMs / 1_000} s` }
}

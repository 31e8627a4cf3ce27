import { runSuite, runTestFiles, tierOf } from './run-suite.ts'
import { type Mutation, seedsOf, awsSeedsOf } from './mutation.ts'

/** Time limit of all suites together, in ms. */
const allMs = 600_000

/**
 * Runs every suite that the mutations name on unmutated trees: one for the tests, one for the
 * simulation. Returns the problems: a suite that fails anyway detects nothing, and neither does a
 * name without a test.
 */
export async function checkBaseline(
  trees: { readonly ofTests: string; readonly ofSeeds: string },
  mutations: readonly Mutation[],
): Promise<readonly string[]> {
  const wrong = await Promise.all([
    findWrongTests(trees.ofTests, mutations),
    findWrongSeeds(trees.ofSeeds, mutations),
  ])
  return wrong.flat()
}

async function findWrongTests(
  folder: string,
  mutations: readonly Mutation[],
): Promise<readonly string[]> {
  const suites = mutations.flatMap(({ caughtBy }) =>
    caughtBy.flatMap(suite => (suite.kind === 'tests' ? [suite] : [])),
  )
  const files = [...new Set(suites.map(({ file }) => file))]
  const names: string[] = []
  for (const [tier, some] of Map.groupBy(files, file => tierOf([file]))) {
    const verdict = await runTestFiles(folder, { files: some, named: undefined, withinMs: allMs })
    if (verdict.kind !== 'passes')
      return [`tier ${tier}: ${verdict.kind === 'fails' ? verdict.by : verdict.why}`]
    names.push(...verdict.names)
  }
  const unknown = suites.filter(
    ({ named }) => named !== undefined && !names.some(name => new RegExp(named).test(name)),
  )
  return unknown.map(({ file, named }) => `no test of ${file} is named ${named}`)
}

async function findWrongSeeds(
  folder: string,
  mutations: readonly Mutation[],
): Promise<readonly string[]> {
  const suites = mutations.flatMap(({ caughtBy }) => caughtBy)
  const wrong: string[] = []
  for (const [platform, make] of [
    [undefined, seedsOf],
    ['aws', awsSeedsOf],
  ] as const) {
    const counts = suites.map(suite =>
      suite.kind === 'seeds' && suite.platform === platform ? suite.count : 0,
    )
    const count = Math.max(0, ...counts)
    if (count === 0) continue
    const verdict = await runSuite(folder, make(count), allMs)
    if (verdict.kind !== 'passes') wrong.push(verdict.kind === 'fails' ? verdict.by : verdict.why)
  }
  return wrong
}

import { type PassedTest, runSuite, runTestFiles, tierOf } from './run-suite.ts'
import { type Mutation, type Suite, selectFirstSeeds, selectFirstAwsSeeds } from './mutation.ts'

/** Time limit of all suites of one tier, or of one run of the simulation, in ms. */
const baselineMs = 600_000

/**
 * Runs every suite that the mutations name. Each suite runs on a copy of the project without a
 * mutation: one copy is for the tests, one for the simulation. Returns the problems: suites that
 * fail without a mutation, and names that match no test.
 */
export async function checkBaseline(
  trees: { readonly testTree: string; readonly seedTree: string },
  mutations: readonly Mutation[],
): Promise<readonly string[]> {
  const problems = await Promise.all([
    findTestProblems(trees.testTree, mutations),
    findSeedProblems(trees.seedTree, mutations),
  ])
  return problems.flat()
}

async function findTestProblems(
  folder: string,
  mutations: readonly Mutation[],
): Promise<readonly string[]> {
  const suites = mutations.flatMap(({ caughtBy }) =>
    caughtBy.flatMap(suite => (suite.kind === 'tests' ? [suite] : [])),
  )
  const files = [...new Set(suites.map(({ file }) => file))]
  const passedTests: PassedTest[] = []
  for (const [tier, tierFiles] of Map.groupBy(files, file => tierOf([file]))) {
    const verdict = await runTestFiles(folder, {
      files: tierFiles,
      namePattern: undefined,
      timeoutMs: baselineMs,
    })
    if (verdict.kind !== 'passes')
      return [`tier ${tier}: ${verdict.kind === 'fails' ? verdict.failure : verdict.reason}`]
    passedTests.push(...verdict.passedTests)
  }
  return findUnmatchedSuites(suites, passedTests)
}

/** Returns a problem for each suite that has no passed test in its own file. */
export function findUnmatchedSuites(
  suites: readonly (Suite & { readonly kind: 'tests' })[],
  passedTests: readonly PassedTest[],
): readonly string[] {
  return suites.flatMap(({ file, namePattern = '' }) => {
    const pattern = new RegExp(namePattern)
    return passedTests.some(test => test.file.endsWith(`/${file}`) && pattern.test(test.name))
      ? []
      : [`${file}: no test has a name that matches '${namePattern}'`]
  })
}

async function findSeedProblems(
  folder: string,
  mutations: readonly Mutation[],
): Promise<readonly string[]> {
  const suites = mutations.flatMap(({ caughtBy }) => caughtBy)
  const problems: string[] = []
  for (const [platform, createSuite] of [
    [undefined, selectFirstSeeds],
    ['aws', selectFirstAwsSeeds],
  ] as const) {
    const counts = suites.map(suite =>
      suite.kind === 'seeds' && suite.platform === platform ? suite.count : 0,
    )
    const count = Math.max(0, ...counts)
    if (count === 0) continue
    const verdict = await runSuite(folder, createSuite(count), baselineMs)
    if (verdict.kind !== 'passes')
      problems.push(verdict.kind === 'fails' ? verdict.failure : verdict.reason)
  }
  return problems
}

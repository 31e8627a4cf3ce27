import { judge, judgeTests, tierOf } from './judge.ts'
import { type Mutation, seeds } from './mutation.ts'

/** The longest that all suites may take together, in ms. */
const allMs = 600_000

/**
 * Runs every suite that the mutations name on a tree without any. Answers what is wrong: a suite
 * that fails anyway catches nothing, and neither does a name that no test has.
 */
export async function baseline(
  folder: string,
  mutations: readonly Mutation[],
): Promise<readonly string[]> {
  const suites = mutations.flatMap(({ caughtBy }) => caughtBy)
  const ofTests = suites.flatMap(suite => (suite.kind === 'tests' ? [suite] : []))
  const files = [...new Set(ofTests.map(({ file }) => file))]
  const names: string[] = []
  const wrong: string[] = []
  for (const [tier, some] of Map.groupBy(files, file => tierOf([file]))) {
    const verdict = await judgeTests(folder, { files: some, named: undefined, withinMs: allMs })
    if (verdict.kind === 'passes') names.push(...verdict.names)
    else wrong.push(`tier ${tier}: ${verdict.kind === 'fails' ? verdict.by : verdict.why}`)
  }
  if (wrong.length > 0) return wrong
  for (const named of new Set(ofTests.flatMap(suite => suite.named ?? [])))
    if (!names.some(name => new RegExp(named).test(name))) wrong.push(`no test is named ${named}`)
  const count = Math.max(0, ...suites.map(suite => (suite.kind === 'seeds' ? suite.count : 0)))
  if (count === 0) return wrong
  const verdict = await judge(folder, seeds(count), allMs)
  if (verdict.kind === 'passes') return wrong
  return [...wrong, verdict.kind === 'fails' ? verdict.by : verdict.why]
}

/**
 * `npm run mutations` breaks each rule of the list in a copy of the tree and runs the suites that
 * must detect it. `--only TEXT` selects mutations by name. The exit status is 1 when a mutation
 * survives, or when a suite fails without a mutation. A complete run writes docs/mutations.md.
 */
import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { checkBaseline } from './check-baseline.ts'
import { type ProjectCopy, createProjectCopy } from './project-copy.ts'
import { runSuite } from './run-suite.ts'
import { mutations } from './all-mutations.ts'
import { type Mutation, suiteNameOf } from './mutation.ts'
import { type MutationCatch, renderMutationsPage, type MutationResult } from './mutations-page.ts'

const root = resolve(import.meta.dirname, '../..')
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })
const printLine = (line: string): void => void process.stdout.write(`${line}\n`)

/** Applies one mutation and runs its suites, until one of them does not detect the mutation. */
async function runMutation(copy: ProjectCopy, mutation: Mutation): Promise<MutationResult> {
  const catches: MutationCatch[] = []
  for (const suite of mutation.caughtBy) {
    const verdict = await copy.withMutation(mutation, () => runSuite(copy.folder, suite))
    if (verdict.kind === 'fails') {
      catches.push({ suite: suiteNameOf(suite), failure: verdict.failure })
      continue
    }
    const reason = verdict.kind === 'broken' ? verdict.reason : 'passes'
    return { mutation, catches, reason: `${suiteNameOf(suite)}: ${reason}` }
  }
  return { mutation, catches, reason: undefined }
}

/** Runs all mutations, one at a time per copy. */
async function runAllMutations(
  copies: readonly ProjectCopy[],
  requested: readonly Mutation[],
): Promise<readonly MutationResult[]> {
  const results: MutationResult[] = []
  const remaining = [...requested]
  const work = async (copy: ProjectCopy): Promise<void> => {
    for (
      let nextMutation = remaining.shift();
      nextMutation !== undefined;
      nextMutation = remaining.shift()
    ) {
      const startMs = performance.now()
      const result = await runMutation(copy, nextMutation)
      results.push(result)
      const seconds = ((performance.now() - startMs) / 1_000).toFixed(1)
      const label = result.reason === undefined ? 'caught  ' : 'SURVIVES'
      printLine(`${label} ${seconds.padStart(5)} s  ${nextMutation.name}`)
      for (const { suite, failure } of result.catches)
        printLine(`                  ${suite}: ${failure}`)
      if (result.reason !== undefined) printLine(`                  ${result.reason}`)
    }
  }
  await Promise.all(copies.map(work))
  return requested.flatMap(requestedMutation =>
    results.filter(({ mutation }) => mutation === requestedMutation),
  )
}

async function run(): Promise<number> {
  const requested = mutations.filter(({ name }) => name.includes(values.only))
  if (requested.length === 0) {
    printLine(`no mutation has '${values.only}' in its name`)
    return 1
  }
  const jobs = Math.min(2, availableParallelism(), requested.length)
  const copies = await Promise.all(Array.from({ length: jobs }, () => createProjectCopy(root)))
  const [testTree = root, seedTree = testTree] = copies.map(({ folder }) => folder)
  const problems = await checkBaseline({ testTree, seedTree }, requested)
  for (const line of problems) printLine(`without a mutation: ${line}`)
  if (problems.length > 0) return 1
  const results = await runAllMutations(copies, requested)
  const survivors = results.filter(({ reason }) => reason !== undefined)
  printLine(`\n${results.length - survivors.length} caught, ${survivors.length} survive`)
  if (requested.length === mutations.length)
    await writeFile(join(root, 'docs', 'mutations.md'), renderMutationsPage(results))
  return survivors.length > 0 ? 1 : 0
}

// Copies and child processes end with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
process.exitCode = await run()

/**
 * `npm run mutations` breaks each rule of the list in a copy of the tree and runs the suites that
 * must notice; `--only TEXT` those whose name has that text. Exit status 1 when one survives, or
 * when a suite fails without any. A whole run writes docs/mutations.md.
 */
import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { baseline } from './baseline.ts'
import { type Copy, createCopy } from './copy.ts'
import { judge } from './judge.ts'
import { mutations } from './list.ts'
import { type Mutation, nameOf } from './mutation.ts'
import { type Catch, pageOf, type Result } from './page.ts'

const root = resolve(import.meta.dirname, '../..')
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })
const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Breaks one rule and asks each suite. */
async function tryOne(copy: Copy, mutation: Mutation): Promise<Result> {
  const catches: Catch[] = []
  for (const suite of mutation.caughtBy) {
    const verdict = await copy.mutated(mutation, () => judge(copy.folder, suite))
    if (verdict.kind === 'fails') {
      catches.push({ suite: nameOf(suite), by: verdict.by })
      continue
    }
    const why = verdict.kind === 'broken' ? verdict.why : 'passes'
    return { mutation, catches, why: `${nameOf(suite)}: ${why}` }
  }
  return { mutation, catches, why: undefined }
}

/** Tries all of them, one at a time in each copy. */
async function tryAll(
  copies: readonly Copy[],
  asked: readonly Mutation[],
): Promise<readonly Result[]> {
  const results: Result[] = []
  const waiting = [...asked]
  const work = async (copy: Copy): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const beganMs = performance.now()
      const result = await tryOne(copy, next)
      results.push(result)
      const seconds = ((performance.now() - beganMs) / 1_000).toFixed(1)
      const said = result.why === undefined ? 'caught  ' : 'SURVIVES'
      say(`${said} ${seconds.padStart(5)} s  ${next.name}`)
      for (const { suite, by } of result.catches) say(`                  ${suite}: ${by}`)
      if (result.why !== undefined) say(`                  ${result.why}`)
    }
  }
  await Promise.all(copies.map(work))
  return asked.flatMap(one => results.filter(({ mutation }) => mutation === one))
}

async function run(): Promise<number> {
  const asked = mutations.filter(({ name }) => name.includes(values.only))
  if (asked.length === 0) {
    say(`no mutation has '${values.only}' in its name`)
    return 1
  }
  const jobs = Math.min(2, availableParallelism(), asked.length)
  const copies = await Promise.all(Array.from({ length: jobs }, () => createCopy(root)))
  const [ofTests = root, ofSeeds = ofTests] = copies.map(({ folder }) => folder)
  const wrong = await baseline({ ofTests, ofSeeds }, asked)
  for (const line of wrong) say(`without any mutation: ${line}`)
  if (wrong.length > 0) return 1
  const results = await tryAll(copies, asked)
  const survivors = results.filter(({ why }) => why !== undefined)
  say(`\n${results.length - survivors.length} caught, ${survivors.length} survive`)
  if (asked.length === mutations.length)
    await writeFile(join(root, 'docs', 'mutations.md'), pageOf(results))
  return survivors.length > 0 ? 1 : 0
}

// Copies and children go with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
process.exitCode = await run()

import type { Mutation } from './mutation.ts'

/** A suite that failed, and the test in it, or the rule of the simulation, that did first. */
export interface MutationCatch {
  readonly suite: string
  readonly by: string
}

/** What became of a mutation; `why` when not every suite caught it. */
export interface MutationResult {
  readonly mutation: Mutation
  readonly catches: readonly MutationCatch[]
  readonly why: string | undefined
}

const head = `# Mutations

Rules of the product that were broken on purpose, one at a time, in a copy of the tree, and what noticed.
\`npm run mutations\` runs them and writes this page; \`npm run nightly\` does too. A rule that is broken unnoticed is a
hole in the tests, and fails the run. The list is in [test/mutations](../test/mutations/list.ts).

| Done wrong | Rule that it breaks | Noticed by |
|---|---|---|
`

/** The page of a run; the same whenever the same was caught. */
export function pageOf(results: readonly MutationResult[]): string {
  const rows = results.map(({ mutation, catches, why }) => {
    const by = catches.map(one => `${one.suite}: ${one.by}`)
    const noticed = (why === undefined ? by : [...by, '**survives**']).join('<br>')
    return `| ${[mutation.name, mutation.breaks, noticed].map(escapeCell).join(' | ')} |\n`
  })
  return head + rows.join('')
}

/** Nothing in a cell may end it, nor be a link or a place of somebody's machine. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

import type { Mutation } from './mutation.ts'

/** A suite that failed, with the first failed test or broken rule. */
export interface MutationCatch {
  readonly suite: string
  readonly failure: string
}

/**
 * The result of a mutation. `reason`: why the mutation survives, with the first suite that passed
 * or could not run. Undefined if every suite detected the mutation.
 */
export interface MutationResult {
  readonly mutation: Mutation
  readonly catches: readonly MutationCatch[]
  readonly reason: string | undefined
}

const pageHead = `# Mutations

Each mutation breaks a rule of the product on purpose, in a copy of the tree. The table names the suites that detected it.
\`npm run mutations\` and \`npm run nightly\` run the mutations and write this page. An undetected mutation shows a gap in the
tests and fails the run. The list is in [test/mutations](../test/mutations/all-mutations.ts).

| Mutation | Rule that it breaks | Test that noticed it |
|---|---|---|
`

/** Returns the page of a run. Equal results give an equal page. */
export function renderMutationsPage(results: readonly MutationResult[]): string {
  const rows = results.map(({ mutation, catches, reason }) => {
    const failures = catches.map(
      mutationCatch => `${mutationCatch.suite}: ${mutationCatch.failure}`,
    )
    const noticedBy = (reason === undefined ? failures : [...failures, '**survives**']).join('<br>')
    return `| ${[mutation.name, mutation.breaks, noticedBy].map(escapeCell).join(' | ')} |\n`
  })
  return pageHead + rows.join('')
}

/** Escapes the characters that end a cell, and replaces line breaks by spaces. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

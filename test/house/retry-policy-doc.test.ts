import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { retryPolicy } from '../../shared/providers/retry-policy.ts'
import { projectFolder } from './sources.ts'

const file = join(projectFolder, 'docs', 'retry-policy.md')

const head = `# Sources of errors and retries

This page is generated from \`shared/providers/retry-policy.ts\`, where the code reads its error sources, attempts and
pauses. A test fails when the two differ. Regenerate it after a change with
\`npm test -- test/house/retry-policy-doc.test.ts -u\`.

The source of an error decides its consequence. The text and the code of the error never do. The upper limit of a pause
doubles with each attempt, and a random pause lasts at least half of its limit. A dead plugin process is replaced at
most 3 times in a deployment. The result is empty if no operation has such an error.

| Source of the error | Consequence | Result of the operation | Attempts |
|---|---|---|---|
`

type Row = (typeof retryPolicy)[keyof typeof retryPolicy]

const formatSeconds = (ms: number): string =>
  ms >= 60_000 ? `${ms / 60_000} min` : `${ms / 1000} s`

function formatAttempts(row: Row): string {
  if (!('retry' in row)) return 'once'
  const { retry } = row
  const attempts =
    'attemptsMax' in retry
      ? `${retry.attemptsMax} times`
      : 'totalMs' in retry
        ? `for ${formatSeconds(retry.totalMs)}`
        : 'without a limit'
  return `${attempts}, pauses from ${formatSeconds(retry.firstPauseMs)} to ${formatSeconds(retry.longestPauseMs)}`
}

test('docs/retry-policy.md equals the table in retry-policy.ts', async () => {
  const rows = Object.values(retryPolicy).map((row: Row) => {
    const end = 'verdict' in row ? row.verdict : ''
    return `| ${row.source} | ${row.consequence} | ${end} | ${formatAttempts(row)} |\n`
  })
  await expect(head + rows.join('')).toMatchFileSnapshot(file)
})

test('the installation of packages by the bootstrap code has the same number of attempts', () => {
  const text = readFileSync(join(projectFolder, 'cli', 'bootstrap', 'install.mjs'), 'utf8')
  const { attemptsMax } = retryPolicy.installation.retry
  expect(text).toContain(`const attemptsMax = ${attemptsMax}\n`)
})

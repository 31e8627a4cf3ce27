import { join } from 'node:path'
import { expect, test } from 'vitest'
import { catalogue, type CatalogueRow } from '../../shared/errors/catalogue.ts'
import { projectFolder } from './sources.ts'

const file = join(projectFolder, 'docs', 'errors.md')

const head = `# Errors

This page is generated from \`shared/errors/catalogue.ts\`. A test fails when the two differ. Regenerate it after a
change with \`npm test -- test/house/errors-doc.test.ts -u\`.

An error that ends a command looks like this, on standard error:

\`\`\`text
error[STACK_NOT_FOUND]: the stack 'prod' of project 'site'
  hint: List stacks with \`antichain stack ls\`, or create one with \`antichain stack init <name>\`.
\`\`\`

When an error concerns a resource, a line between these two names the resource. With \`-v\` the stack trace follows. A code never
changes its meaning, but sentences may be reworded: scripts should read the code or the exit code only. Some errors
print a more specific hint than the one in this list.

## Exit codes

The exit codes follow Pulumi, with [two exceptions](differences.md). 0 is success. 4 (resource), 5 (policy) and 9 (timeout) are reserved, as in Pulumi, and not
used. Features that Pulumi does not have use 2 and 3 too: for their settings, and for their credentials.

| Exit | Meaning |
|---|---|
| 1 | a failed deployment, and every error without another exit code |
| 2 | an operation without \`--yes\` where no prompt is possible; settings of servers, installations, triggers and queries |
| 3 | missing, wrong or insufficient credentials of an API or an installation; a wrong signature |
| 6 | stack or installation not found |
| 7 | changes where \`--expect-no-changes\` expected none |
| 8 | cancelled |
| 255 | a bug of Antichain |

## Codes

| Code | Exit | Hint |
|---|---|---|
`

test('docs/errors.md equals the catalogue', async () => {
  const rows = Object.entries<CatalogueRow>(catalogue).map(
    ([code, { exit, hint }]) => `| \`${code}\` | ${exit} | ${hint.replaceAll('|', '\\|')} |\n`,
  )
  await expect(head + rows.join('')).toMatchFileSnapshot(file)
})

test('every exit code of the catalogue is explained', () => {
  const explained = [...head.matchAll(/^\| (\d+) \|/gm)].map(match => Number(match[1]))
  const used = Object.values<CatalogueRow>(catalogue).map(({ exit }) => exit)
  expect(explained).toEqual([...new Set(used)].toSorted((a, b) => a - b))
})

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { catalogue, type CatalogueRow } from '../../shared/errors/catalogue.ts'

const file = join(import.meta.dirname, '..', '..', 'docs', 'errors.md')

const head = `# Errors

This page is made from \`shared/errors/catalogue.ts\`; a test fails when the two differ. After a change of the catalogue
write it anew with \`npm test -- test/house/errors-doc.test.ts -u\`.

An error that ends a command looks like this, on standard error:

\`\`\`text
error[STACK_NOT_FOUND]: the stack 'prod' of project 'site'
  hint: List stacks with \`antichain stack ls\`, or make one with \`antichain stack init <name>\`.
\`\`\`

A line with the resource stands between the two when the error is about one. With \`-v\` the stack trace follows. The
code never changes its meaning; sentences may be reworded, so scripts should look at the code or the exit code only.
An error may have a hint of its own that fits better than the one listed here.

## Exit codes

They are Pulumi's. 0 is success. 4 (resource), 5 (policy) and 9 (timeout) are reserved, as in Pulumi, and not used.

| Exit | Meaning |
|---|---|
| 1 | anything that has no number of its own, a failed deployment among it |
| 2 | command line, project or configuration |
| 3 | passphrase, signature |
| 6 | stack not found or not selected |
| 7 | changes where \`--expect-no-changes\` expected none |
| 8 | cancelled |
| 255 | a fault of Antichain |

## Codes

| Code | Exit | What to do |
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

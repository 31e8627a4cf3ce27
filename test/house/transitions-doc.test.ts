import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type Condition,
  conditions,
  states,
  transitions,
} from '../../shared/records/transitions.ts'

const file = join(import.meta.dirname, '..', '..', 'docs', 'transitions.md')

const head = `# Transitions of a head

This page is made from \`shared/records/transitions.ts\`; a test fails when the two differ. After a change write it anew
with \`npm test -- test/house/transitions-doc.test.ts -u\`. The conditions of every store are made of these rows
([head-conditions.ts](../shared/records/head-conditions.ts); the embedded one writes them as
[SQL](../shared/platform/embedded/store/methods/head-statements.ts)), so no store states them a second time. The contract suite
asks every store for each of these transitions, and for everything that is not here, which it must refuse
([operation-transitions.ts](../test/contract/operation-transitions.ts)). The simulation has the same conditions in words
of its own ([heads.ts](../test/sim/heads.ts)): it checks each change of a head against this table and counts how often it
saw each row, and every store must answer as it does ([operation-model.ts](../test/contract/operation-model.ts)).

A head is one operation's small record. \`decided\`: something that it needs has not ended. \`ready\`: nothing is missing,
and no attempt can have called. \`begun\`: an attempt has an owner. \`unowned\`: no owner, but an attempt that may have
called. \`ended\`: the verdict stands for ever. What has no effect answers as the first time did and changes nothing.

| From | Request | When | To | Writes | Why |
|---|---|---|---|---|---|
`

test('docs/transitions.md is the table', async () => {
  const rows = transitions.map(({ from, event, when, to, effect, why }) =>
    [from, event, when, to, effect === 'writes' ? 'yes' : 'no', why].join(' | '),
  )
  const table = rows.map(row => `| ${row} |\n`).join('')
  const meanings = formatMeanings('State', states) + formatMeanings('When', conditions)
  await expect(head + table + what + meanings).toMatchFileSnapshot(file)
})

const what = `
## What the words demand

\`called\`: an attempt was not given back; \`called before\`: one before the last. \`complete\` and \`the last arrives\` are
told by a begin alone: for other requests a store leaves them out, and nothing depends on them.
`

/** What names mean, as a table. */
function formatMeanings(name: string, of: Readonly<Record<string, Condition>>): string {
  const rows = Object.entries(of).map(
    ([key, { is, not }]) => `| ${key} | ${is.join(', ')} | ${not.join(', ')} |\n`,
  )
  return `\n| ${name} | Must hold | Must not hold |\n|---|---|---|\n${rows.join('')}`
}

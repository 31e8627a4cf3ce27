import { join } from 'node:path'
import { expect, test } from 'vitest'
import { transitions } from '../../shared/records/transitions.ts'

const file = join(import.meta.dirname, '..', '..', 'docs', 'transitions.md')

const head = `# Transitions of a head

This page is made from \`shared/records/transitions.ts\`; a test fails when the two differ. After a change write it anew
with \`npm test -- test/house/transitions-doc.test.ts -u\`. The contract suite asks every store for each of these
transitions, and for everything that is not here, which it must refuse
([operation-transitions.ts](../test/contract/operation-transitions.ts)); the simulation counts how often it saw each.

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
  await expect(head + rows.map(row => `| ${row} |\n`).join('')).toMatchFileSnapshot(file)
})

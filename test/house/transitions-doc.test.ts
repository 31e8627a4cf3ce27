import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type Condition,
  conditions,
  headStateConditions,
  transitions,
} from '../../shared/records/transitions.ts'
import { projectFolder } from './sources.ts'

const file = join(projectFolder, 'docs', 'transitions.md')

const head = `# Transitions of a head

This page is generated from \`shared/records/transitions.ts\`. A test fails when the two differ. Regenerate it after a
change with \`npm test -- test/house/transitions-doc.test.ts -u\`. Every store derives its conditions from these rows
([head-conditions.ts](../shared/records/head-conditions.ts)); the embedded one writes them as
[SQL](../shared/platform/embedded/store/methods/head-statements.ts). The contract suite sends the request of each row to
every store. It also sends the requests that no row has, which every store must refuse
([operation-transitions.ts](../test/contract/operation-transitions.ts)). The simulation states the same conditions
independently ([heads.ts](../test/sim/heads.ts)). It checks each change of a head against this table and counts each row.
Every store must answer as the simulation does ([operation-model.ts](../test/contract/operation-model.ts)).

A head is the small record of one operation. It has one of these states:

- \`decided\`: the arrival of a need is missing.
- \`ready\`: all needs have arrived, and no attempt can have called the provider.
- \`begun\`: an attempt has an owner.
- \`unowned\`: no attempt has an owner, but one may have called the provider.
- \`ended\`: the verdict is final.

A request that writes nothing was sent before: it returns the first result again.

| From | Request | When | To | Writes | Why |
|---|---|---|---|---|---|
`

test('docs/transitions.md equals the table', async () => {
  const rows = transitions.map(({ from, event, condition, to, action, reason }) =>
    [from, event, condition, to, action === 'writes' ? 'yes' : 'no', reason].join(' | '),
  )
  const table = rows.map(row => `| ${row} |\n`).join('')
  const meanings = formatMeanings('State', headStateConditions) + formatMeanings('When', conditions)
  await expect(head + table + termMeanings + meanings).toMatchFileSnapshot(file)
})

const termMeanings = `
## Meaning of the terms

- \`called\`: an attempt was not given back, so it may have called the provider.
- \`called before\`: the same holds for an attempt before the last one.
- \`complete\`, \`it is the last arrival\`: these depend on the number of needs, which only a begin contains. For other
  requests a store does not test them, because rows that differ only in them have the same result.
`

/** Formats the meaning of names as a table. */
function formatMeanings(name: string, conditions: Readonly<Record<string, Condition>>): string {
  const rows = Object.entries(conditions).map(
    ([key, { requiredFacts, forbiddenFacts }]) =>
      `| ${key} | ${requiredFacts.join(', ')} | ${forbiddenFacts.join(', ')} |\n`,
  )
  return `\n| ${name} | Must hold | Must not hold |\n|---|---|---|\n${rows.join('')}`
}

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
[SQL](../shared/platform/embedded/store/methods/head-statements.ts). The contract suite sends each of these transitions to
every store, and all other requests, which the store must refuse
([operation-transitions.ts](../test/contract/operation-transitions.ts)). The simulation states the same conditions
independently ([heads.ts](../test/sim/heads.ts)). It checks each change of a head against this table and counts each row.
Every store must answer as the simulation does ([operation-model.ts](../test/contract/operation-model.ts)).

A head is the small record of one operation. \`decided\`: a need has not ended. \`ready\`: nothing is missing, and no attempt
can have called. \`begun\`: an attempt has an owner. \`unowned\`: no owner, but an attempt that may have called. \`ended\`: the
verdict is final. A request without effect returns the first result again and changes nothing.

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

\`called\`: an attempt was not given back; \`called before\`: an attempt before the last one. Only a begin contains the data
for \`complete\` and \`it is the last arrival\`. For other requests a store omits them, and no result depends on them.
`

/** Formats the meaning of names as a table. */
function formatMeanings(name: string, conditions: Readonly<Record<string, Condition>>): string {
  const rows = Object.entries(conditions).map(
    ([key, { requiredFacts, forbiddenFacts }]) =>
      `| ${key} | ${requiredFacts.join(', ')} | ${forbiddenFacts.join(', ')} |\n`,
  )
  return `\n| ${name} | Must hold | Must not hold |\n|---|---|---|\n${rows.join('')}`
}

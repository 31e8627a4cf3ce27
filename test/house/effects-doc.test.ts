import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type EffectList, orderOfEffects } from '../../shared/records/order-of-effects.ts'

const file = join(import.meta.dirname, '..', '..', 'docs', 'order-of-effects.md')

const head = `# Order of effects

This page is made from \`shared/records/order-of-effects.ts\`; a test fails when the two differ, and another one when a
handler does something else than is written here. After a change write it anew with
\`npm test -- test/house/effects-doc.test.ts -u\`.

Between any two lines a process may die. The crash suite kills one before and after each effect of several deployments
and checks what comes of it ([test/lifecycle](../test/lifecycle/resume.ts)). Reads are not effects and are not listed,
except where something hangs on their place in the order.
`

test('docs/order-of-effects.md is the table', async () => {
  const lists: readonly EffectList[] = Object.values(orderOfEffects)
  const sections = lists.map(({ handler, when, effects }) => {
    const rows = effects.map(
      ({ call, what, ifDead }, at) => `| ${at + 1} | \`${call}\` | ${what} | ${ifDead} |`,
    )
    const table = ['| | Effect | What | If the process dies after it |', '|---|---|---|---|']
    return `\n## ${handler}: ${when}\n\n${[...table, ...rows].join('\n')}\n`
  })
  await expect(head + sections.join('')).toMatchFileSnapshot(file)
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { measuredBudget, measuredRun } from '../../bench/cost/measured.ts'
import { prices } from '../../bench/cost/prices.ts'
import { budgetTable, costTable, priceTable, withBlocks } from '../../bench/cost/tables.ts'

const docs = join(import.meta.dirname, '..', '..', 'docs')
const figures = (name: string): unknown =>
  JSON.parse(readFileSync(join(docs, 'measured', name), 'utf8'))

test('the tables of docs/aws.md are written from prices and figures', async () => {
  const file = join(docs, 'aws.md')
  const page = readFileSync(file, 'utf8')
  const blocks = {
    prices: priceTable(),
    cost: costTable(measuredRun.parse(figures('cost.json'))),
    budget: budgetTable(measuredBudget.parse(figures('budget.json'))),
  }
  expect(page).toContain(`as of ${prices.asOf}`)
  await expect(withBlocks(page, blocks)).toMatchFileSnapshot(file)
})

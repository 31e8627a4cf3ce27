import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { measuredBudgetForm, measuredRunForm } from '../../bench/cost/measured-forms.ts'
import { awsPrices } from '../../shared/config/aws-prices.ts'
import {
  renderBudgetTable,
  renderCostTable,
  renderGroupTable,
  renderIdleTable,
  renderPriceTable,
  replaceBlocks,
} from '../../bench/cost/cost-tables.ts'
import { projectFolder } from './sources.ts'

const docs = join(projectFolder, 'docs')
const readFigures = (name: string): unknown =>
  JSON.parse(readFileSync(join(docs, 'measured', name), 'utf8'))

const renderMeasuredCost = (name: string): string =>
  renderCostTable(measuredRunForm.parse(readFigures(name)), name)

test('the tables of docs/aws.md are generated from prices and measured figures', async () => {
  const file = join(docs, 'aws.md')
  const page = readFileSync(file, 'utf8')
  const blocks = {
    prices: renderPriceTable(),
    cost: renderMeasuredCost('cost.json'),
    'plugin-cost': renderMeasuredCost('plugin-cost.json'),
    budget: renderBudgetTable(measuredBudgetForm.parse(readFigures('budget.json'))),
    idle: renderIdleTable(),
    group: renderGroupTable(),
  }
  expect(page).toContain(`as of ${awsPrices.asOf}`)
  await expect(replaceBlocks(page, blocks)).toMatchFileSnapshot(file)
})

test.each(
  measuredRunForm.parse(readFigures('cost.json')).phases.filter(({ name }) => name !== 'no-op'),
)(
  'the measured $name makes at most 6 writes and 4 reads per resource',
  ({ resources, counts, requests = {} }) => {
    const arrivals = requests['UpdateItem arrival']?.requests ?? 0
    // Arrivals beyond one per resource do not count.
    const writes = counts.writes - Math.max(0, arrivals - resources)
    expect(writes / resources).toBeLessThanOrEqual(6)
    expect(counts.reads / resources).toBeLessThanOrEqual(4)
  },
)

import { expect, test } from 'vitest'
import { freeDeploymentCost, sumDeploymentCost } from '../../shared/records/deployment-cost.ts'
import { noUsage } from '../../shared/records/usage.ts'
import { formatCost } from './cost-lines.ts'

const counts = { ...noUsage, calls: 2, gbSeconds: 12.34, writeUnits: 1_234, readUnits: 8, gets: 3 }

test('formatCost shows a row for each part, the sum, and what is not counted', () => {
  const cost = sumDeploymentCost([
    { part: 'generator', run: 'a', counts },
    { part: 'watcher', run: 'b', counts: { ...noUsage, calls: 1, gbSeconds: 250 } },
  ])
  const lines = formatCost(cost, { isOpen: false })
  expect(lines[0]).toMatch(/^Cost: \$0\.0043 at list prices of us-east-1, /)
  expect(lines.slice(2, 6).map(line => line.split(/ {2,}/))).toEqual([
    [
      'PART',
      'CALLS',
      'GB-SECONDS',
      'WRITE UNITS',
      'READ UNITS',
      'S3 PUT/GET',
      'MESSAGES',
      'KMS',
      'COST',
    ],
    ['generator', '2', '12.3', '1,234', '8', '0/3', '0', '0', '$0.00094'],
    ['watcher', '1', '250', '0', '0', '0/0', '0', '0', '$0.0033'],
    ['total', '3', '262', '1,234', '8', '0/3', '0', '0', '$0.0043'],
  ])
  expect(lines.join('\n')).not.toMatch(/in progress|long pool/)
})

test('formatCost says that an open deployment continues, and shows tasks of the long pool', () => {
  const tasks = { ...noUsage, taskCpuHours: 1, taskGbHours: 4 }
  const cost = sumDeploymentCost([{ part: 'executor', run: 'a', counts: tasks }])
  expect(formatCost(cost, { isOpen: true }).join('\n')).toMatch(
    /long pool: 1\.000 processor hours, 4\.000 GB-hours[^]*in progress/,
  )
})

test('formatCost reports a machine of your own, and missing records', () => {
  expect(formatCost(freeDeploymentCost, { isOpen: false })).toEqual([
    'Cost: $0. The deployment ran without functions of AWS, on a machine of your own.',
  ])
  expect(formatCost(sumDeploymentCost([]), { isOpen: false })[0]).toMatch(/^No usage is recorded/)
})

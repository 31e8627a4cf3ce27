import type { CountedCost, DeploymentCost } from '../../shared/records/deployment-cost.ts'
import { formatTable } from './table.ts'

/** Returns the lines of a deployment's cost: a table by part, and a list of the omitted costs. */
export function formatCost(
  { isBilled, prices, parts, total }: DeploymentCost,
  { isOpen }: { readonly isOpen: boolean },
): readonly string[] {
  if (!isBilled)
    return ['Cost: $0. The deployment ran without functions of AWS, on a machine of your own.']
  if (total === undefined)
    return [
      'No usage is recorded. Retention removed the records, or an older version ran the deployment.',
    ]
  const rows = [
    ...parts.map(({ part, ...counted }) => formatRow(part, counted)),
    formatRow('total', total),
  ]
  return [
    `Cost: ${formatDollars(total.cost.total)} at list prices of ${prices.region}, ${prices.asOf}`,
    '',
    ...formatTable(
      [
        ...['PART', 'CALLS', 'GB-SECONDS', 'WRITE UNITS', 'READ UNITS'],
        ...['S3 PUT/GET', 'MESSAGES', 'KMS', 'COST'],
      ],
      rows,
    ),
    ...formatTasks(total),
    '',
    ...(isOpen ? ['The deployment is in progress, so its usage grows.'] : []),
    'Not counted: previews, installations of programs, uploads, logs and storage.',
  ]
}

function formatRow(name: string, { counts, cost }: CountedCost): readonly string[] {
  const { calls, gbSeconds, writeUnits, readUnits, puts, gets, messages, keyRequests } = counts
  return [
    name,
    ...[calls, gbSeconds, writeUnits, readUnits].map(formatCount),
    `${formatCount(puts)}/${formatCount(gets)}`,
    ...[messages, keyRequests].map(formatCount),
    formatDollars(cost.total),
  ]
}

function formatTasks({ counts: { taskCpuHours, taskGbHours } }: CountedCost): readonly string[] {
  if (taskCpuHours === 0 && taskGbHours === 0) return []
  const [cpuHours, gbHours] = [taskCpuHours, taskGbHours].map(hours => hours.toFixed(3))
  return ['', `Tasks of the long pool: ${cpuHours} processor hours, ${gbHours} GB-hours`]
}

const formatCount = (count: number): string =>
  count.toLocaleString('en-US', { maximumFractionDigits: count < 100 ? 1 : 0 })

/** Formats an amount with two significant figures, without an exponent. */
const formatDollars = (dollars: number): string =>
  dollars === 0
    ? '$0'
    : `$${dollars.toLocaleString('en-US', { maximumSignificantDigits: 2, useGrouping: false })}`

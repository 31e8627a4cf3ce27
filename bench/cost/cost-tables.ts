import {
  computeIdleMonthCost,
  type IdleCostItem,
  groupIdleResources,
  idleResources,
  leanGroupIdleResources,
  leanIdleResources,
} from './idle-cost.ts'
import { awsPrices } from '../../shared/config/aws-prices.ts'
import { costOf } from '../../test/aws/counts.ts'
import type { MeasuredBudget, MeasuredRun } from './measured-forms.ts'

/** The generated blocks of docs/aws.md, by the name in their markers. */
export interface PageBlocks {
  readonly prices: string
  readonly cost: string
  readonly 'plugin-cost': string
  readonly budget: string
  readonly idle: string
  readonly group: string
}

/** Returns a page with regenerated blocks. Throws when a marker is missing. */
export function replaceBlocks(page: string, blocks: PageBlocks): string {
  return Object.entries(blocks).reduce((text, [name, block]: readonly [string, string]) => {
    const markerPattern = new RegExp(
      `(<!-- ${name}-table: begin[^>]*-->\n)[^]*?(<!-- ${name}-table: end -->)`,
    )
    if (!markerPattern.test(text)) throw new Error(`the page has no block ${name}`)
    return text.replace(
      markerPattern,
      (_, begin: string, end: string) => `${begin}\n${block}\n\n${end}`,
    )
  }, page)
}

const formatTableRow = (...cells: readonly (string | number)[]): string =>
  `| ${cells.join(' | ')} |`

/** Formats a number: three significant figures below 100, otherwise rounded to an integer. */
function formatFigure(value: number): string {
  if (value === 0) return '0'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toLocaleString('en-US', { maximumFractionDigits: digits })
}

const formatUngrouped = (value: number): string =>
  value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 10 })

/** Returns the price table. */
export function renderPriceTable(): string {
  const lines: readonly (readonly [string, readonly number[]])[] = [
    [
      'DynamoDB, million write request units / read request units',
      [awsPrices.writeUnit * 1e6, awsPrices.readUnit * 1e6],
    ],
    [
      'DynamoDB, GB and month: stored / point-in-time recovery',
      [awsPrices.tableGbMonth, awsPrices.pointInTimeRecoveryGbMonth],
    ],
    ['S3, thousand PUT or LIST / GET', [awsPrices.put * 1e3, awsPrices.get * 1e3]],
    ['S3, GB and month', [awsPrices.objectGbMonth]],
    ['SQS, million requests', [awsPrices.message * 1e6]],
    ['Lambda (ARM), million calls / GB-second', [awsPrices.call * 1e6, awsPrices.gbSecond]],
    ['Fargate (ARM), vCPU-hour / GB-hour', [awsPrices.fargateCpuHour, awsPrices.fargateGbHour]],
    [
      'KMS, key and month / ten thousand requests',
      [awsPrices.keyMonth, awsPrices.keyRequest * 1e4],
    ],
    ['Lambda, GB-second of scratch space beyond 512 MB', [awsPrices.lambdaScratchGbSecond]],
    ['Fargate, hour of a public IPv4 address', [awsPrices.publicIpv4Hour]],
    [
      'CloudWatch, month: metric of an alarm / metric of Antichain / dashboard',
      [awsPrices.alarmMetricMonth, awsPrices.metricMonth, awsPrices.dashboardMonth],
    ],
    [
      'CloudWatch Logs, GB taken in / GB and month',
      [awsPrices.logIngestedGb, awsPrices.logStoredGbMonth],
    ],
    ['ECR, GB of images and month', [awsPrices.imageGbMonth]],
    ['EventBridge Scheduler, million calls', [awsPrices.scheduledCall * 1e6]],
    ['HTTP API, million requests', [awsPrices.httpApiRequest * 1e6]],
  ]
  const rows = lines.map(([item, unitPrices]) =>
    formatTableRow(item, unitPrices.map(formatUngrouped).join(' / ')),
  )
  return [formatTableRow('Item', 'Price'), '|---|---|', ...rows].join('\n')
}

/**
 * Returns the table of the monthly cost of an idle installation, with the default settings and with
 * those of the lowest cost. The last row is for an account without other workloads.
 */
export function renderIdleTable(): string {
  const totals = [idleResources, leanIdleResources].map(resources => {
    const costs = computeIdleMonthCost(resources).map(({ costBeyondFree }) => costBeyondFree)
    return `**${formatDollars(costs.reduce((sum, cost) => sum + cost, 0))}**`
  })
  const [total = '', leanTotal = ''] = totals
  const name = '**total beyond the free allowances**'
  const row = formatTableRow(name, '', total, '', leanTotal)
  return `${renderMonthTable(idleResources, leanIdleResources)}\n${row}`
}

/** Returns the table of the additional monthly cost of a group of stacks, with the same columns. */
export function renderGroupTable(): string {
  return renderMonthTable(groupIdleResources, leanGroupIdleResources)
}

function renderMonthTable(
  ...resources: readonly Parameters<typeof computeIdleMonthCost>[0][]
): string {
  const [lines, leanLines] = resources.map(computeIdleMonthCost)
  if (lines === undefined || leanLines === undefined) throw new Error('a cost is missing')
  const formatCells = ({ count, cost }: IdleCostItem): readonly string[] => [
    count.toLocaleString('en-US'),
    formatDollars(cost),
  ]
  const rows = lines.map((line, index) => {
    const leanLine = leanLines[index] ?? line
    return formatTableRow(line.item, ...formatCells(line), ...formatCells(leanLine))
  })
  const formatTotal = (items: readonly IdleCostItem[]): string =>
    `**${formatDollars(items.reduce((sum, { cost }) => sum + cost, 0))}**`
  return [
    formatTableRow('Item', 'Per month', 'Cost', 'With the lowest cost', 'Cost'),
    '|---|---|---|---|---|',
    ...rows,
    formatTableRow('**total**', '', formatTotal(lines), '', formatTotal(leanLines)),
  ].join('\n')
}

const formatDollars = (cost: number): string => `$${cost.toFixed(2)}`

/**
 * Returns the table of the cost of each measured command, with the source of the figures:
 * `fileName` in docs/measured.
 */
export function renderCostTable(run: MeasuredRun, fileName: string): string {
  const headerRow = formatTableRow(
    ...['Resources', 'Command', 'Write units', 'Read units', 'S3 PUT / GET', 'Messages'],
    ...[
      'KMS requests',
      'Calls',
      'GB-seconds',
      'Cost of requests',
      'Cost of functions',
      'Total cost',
    ],
  )
  const rows = run.phases.map(({ name, resources, counts }) => {
    const { writeUnits, readUnits, puts, gets, messages, keyRequests, calls, gbSeconds } = counts
    const total = costOf(counts)
    const functionCost = costOf({
      ...counts,
      writeUnits: 0,
      readUnits: 0,
      puts: 0,
      gets: 0,
      messages: 0,
      keyRequests: 0,
    })
    return formatTableRow(
      resources.toLocaleString('en-US'),
      name,
      ...[writeUnits, readUnits].map(formatFigure),
      `${formatFigure(puts)} / ${formatFigure(gets)}`,
      ...[messages, keyRequests, calls, gbSeconds].map(formatFigure),
      ...[total - functionCost, functionCost, total].map(cost => `$${Number(cost.toPrecision(2))}`),
    )
  })
  const { versions } = run
  const versionTexts = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  const notes = [
    `Measured on ${run.date} at commit ${run.commit} with \`${run.command}\`, ${formatTimes(run.repetitions)}.`,
    `The machine has ${run.machine}, with other processes on it (load average ${run.load}).`,
    `Versions: ${versionTexts.join(', ')}. ${run.parallel} concurrent operations, ${run.executorsMax} executors,`,
    `${describeProvider(run)}. The figures are in`,
    `[${fileName}](measured/${fileName}).`,
  ]
  return [
    headerRow,
    '|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
    ...notes,
  ].join('\n')
}

function describeProvider({ delayMs, pluginMb }: MeasuredRun): string {
  const size = pluginMb === undefined ? '' : ` of ${pluginMb} MB`
  return `a provider${size} that takes ${delayMs} ms for each change`
}

const formatTimes = (count: number): string => (count === 1 ? 'once' : `${count} times`)

/** Returns the table of requests by command, in total and per resource. */
export function renderBudgetTable({ rows, date, command }: MeasuredBudget): string {
  const headerRow = formatTableRow(
    ...['Resources', 'Command', 'Writes', 'Write units', 'Reads', 'Read units'],
    ...['Writes per resource', 'Reads per resource', 'Messages', 'Excluded units'],
  )
  const lines = rows.map(row =>
    formatTableRow(
      row.resources.toLocaleString('en-US'),
      row.command,
      ...[row.writes, row.writeUnits, row.reads, row.readUnits].map(count =>
        Math.round(count).toLocaleString('en-US'),
      ),
      ...[row.writes, row.reads].map(count => (count / row.resources).toFixed(2)),
      ...[row.messages, row.excludedUnits].map(count => count.toLocaleString('en-US')),
    ),
  )
  const notes = `Counted on ${date} with \`${command}\`; the figures are in [budget.json](measured/budget.json).`
  return [headerRow, '|---|---|---|---|---|---|---|---|---|---|', ...lines, '', notes].join('\n')
}

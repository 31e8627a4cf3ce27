import { awsPrices } from '../../shared/config/aws-prices.ts'

/**
 * The idle resources of an installation with default settings; test/infra counts them in the
 * templates.
 */
export const idleResources = {
  keys: 2,
  /** Metrics that alarms read. Alarms are billed per metric. */
  alarmMetrics: 34,
  dashboards: 1,
  /** Queues that Lambda polls. */
  eventSources: 3,
  /** Memory in GB of the compaction function, which is called every hour. */
  compactionGb: 3_008 / 1_024,
  /** Memory in GB of the scaler, which is called every hour. */
  scalerGb: 256 / 1_024,
} as const

/**
 * The idle resources with the lowest cost: `dataKey=aws`, an existing `secretsKey`, `alarms=one` and
 * `dashboard=off`.
 */
export const leanIdleResources: IdleResources = {
  ...idleResources,
  keys: 0,
  alarmMetrics: 1,
  dashboards: 0,
}

/** The additional idle resources of a group of stacks with default settings. */
export const groupIdleResources: IdleResources = {
  ...idleResources,
  keys: 1,
  alarmMetrics: 23,
  dashboards: 0,
}

/** The additional idle resources of a group with the settings of the lowest cost. */
export const leanGroupIdleResources: IdleResources = {
  ...leanIdleResources,
  keys: 1,
}

/** The numbers of idle resources. */
type IdleResources = Readonly<Record<keyof typeof idleResources, number>>

/** Values that AWS decides or that a run has shown. docs/aws.md states them beside the table. */
const assumptions = {
  /** Pollers of each idle event source of Lambda. */
  pollers: 5,
  /** Long-poll time of each request of a poller, in seconds. The queues have the same setting. */
  waitSeconds: 20,
  /** Duration of a call of compaction, including a cold start if there is one, in seconds. */
  compactionSeconds: 3,
  /** Duration of a call of the scaler, in seconds. */
  scalerSeconds: 1,
} as const

/**
 * The amounts that AWS gives each account free of charge every month, with no end date. Requests to
 * SQS count as messages.
 */
export const freeAllowances = {
  alarmMetrics: 10,
  dashboards: 3,
  /** Metrics of each free dashboard. One with more metrics is billed. */
  dashboardMetrics: 50,
  messages: 1_000_000,
  gbSeconds: 400_000,
} as const

const hoursPerMonth = 24 * 30

/** A cost item of an idle installation. */
export interface IdleCostItem {
  readonly item: string
  /** Number per month. */
  readonly count: number
  /** US dollars per month, without free allowances. */
  readonly cost: number
  /** US dollars per month after the free allowances, if nothing else in the account uses them. */
  readonly costBeyondFree: number
}

/** Returns the cost of an idle month of 30 days, without storage. */
export function computeIdleMonthCost(resources: IdleResources): readonly IdleCostItem[] {
  const emptyReceives =
    (resources.eventSources * assumptions.pollers * hoursPerMonth * 3600) / assumptions.waitSeconds
  const createItem = (item: string, count: number, price: number, free = 0): IdleCostItem => ({
    item,
    count,
    cost: count * price,
    costBeyondFree: Math.max(0, count - free) * price,
  })
  const { alarmMetrics, dashboards, messages, gbSeconds } = freeAllowances
  return [
    createItem('KMS keys', resources.keys, awsPrices.keyMonth),
    createItem('alarm metrics', resources.alarmMetrics, awsPrices.alarmMetricMonth, alarmMetrics),
    createItem('dashboard', resources.dashboards, awsPrices.dashboardMonth, dashboards),
    createItem('empty receives of the event sources', emptyReceives, awsPrices.message, messages),
    createItem(
      'scheduled calls of compaction and scaler',
      hoursPerMonth * 2,
      awsPrices.call + awsPrices.scheduledCall,
    ),
    createItem(
      'GB-seconds of these calls',
      hoursPerMonth *
        (assumptions.compactionSeconds * resources.compactionGb +
          assumptions.scalerSeconds * resources.scalerGb),
      awsPrices.gbSecond,
      gbSeconds,
    ),
  ]
}

import { prices } from './prices.ts'

/**
 * The idle resources of an installation with default settings; test/infra counts them in the
 * templates.
 */
export const held = {
  keys: 2,
  /** Metrics that alarms read. Alarms are billed per metric. */
  alarmMetrics: 36,
  dashboards: 1,
  /** Queues that Lambda polls. */
  sources: 3,
  /** Memory of the function that is called every hour. */
  tidyGb: 3,
} as const

/** Values that AWS decides or a run shows. The page states them beside the table. */
const assumed = {
  /** Pollers of each idle event source of Lambda. */
  pollers: 5,
  /** Long-poll time of each of their requests, in seconds: that of the queues. */
  waitSeconds: 20,
  /** Duration of a call of compaction on a warm or cold function, in seconds. */
  tidySeconds: 3,
} as const

const hours = 24 * 30

/** A cost item of an idle installation. */
export interface IdleLine {
  readonly what: string
  /** Number per month. */
  readonly count: number
  /** US dollars per month. */
  readonly cost: number
}

/** Returns the cost of an idle month of 30 days, without storage. */
export function idleMonthCost(): readonly IdleLine[] {
  const receives = (held.sources * assumed.pollers * hours * 3600) / assumed.waitSeconds
  const lineOf = (what: string, count: number, price: number): IdleLine => ({
    what,
    count,
    cost: count * price,
  })
  return [
    lineOf('KMS keys', held.keys, prices.keyMonth),
    lineOf('alarm metrics', held.alarmMetrics, prices.alarmMetricMonth),
    lineOf('dashboard', held.dashboards, prices.dashboardMonth),
    lineOf('metric that compaction writes every hour', 1, prices.metricMonth),
    lineOf('empty receives of the event sources', receives, prices.message),
    lineOf('scheduled calls of compaction', hours, prices.call + prices.scheduled),
    lineOf('GB-seconds of these calls', hours * assumed.tidySeconds * held.tidyGb, prices.gbSecond),
  ]
}

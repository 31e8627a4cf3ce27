import { prices } from './prices.ts'

/**
 * What an installation with the usual settings holds while nothing runs; test/infra counts it in
 * the templates.
 */
export const held = {
  keys: 2,
  /** Metrics that alarms read: an alarm costs by the metric. */
  alarmMetrics: 36,
  dashboards: 1,
  /** Queues that Lambda asks by itself. */
  sources: 3,
  /** Memory of the function that is called each hour. */
  tidyGb: 3,
} as const

/** What AWS decides, or a run shows; said beside the table. */
const assumed = {
  /** Pollers of each event source of Lambda while nothing comes. */
  pollers: 5,
  /** How long each of their requests waits, in seconds: the queues' own wait. */
  waitSeconds: 20,
  /** A call of compaction on a warm or cold function, in seconds. */
  tidySeconds: 3,
} as const

const hours = 24 * 30

/** One thing that costs something although nothing runs. */
export interface IdleLine {
  readonly what: string
  /** How many a month. */
  readonly count: number
  /** US dollars a month. */
  readonly cost: number
}

/** What a month of 30 days costs in which nothing is deployed, without what is stored. */
export function idleMonthCost(): readonly IdleLine[] {
  const receives = (held.sources * assumed.pollers * hours * 3600) / assumed.waitSeconds
  const lineOf = (what: string, count: number, price: number): IdleLine => ({
    what,
    count,
    cost: count * price,
  })
  return [
    lineOf('keys of KMS', held.keys, prices.keyMonth),
    lineOf('metrics of alarms', held.alarmMetrics, prices.alarmMetricMonth),
    lineOf('dashboard', held.dashboards, prices.dashboardMonth),
    lineOf('metric that compaction writes every hour', 1, prices.metricMonth),
    lineOf('receives of the event sources, all empty', receives, prices.message),
    lineOf('calls of compaction by the scheduler', hours, prices.call + prices.scheduled),
    lineOf('GB-seconds of these', hours * assumed.tidySeconds * held.tidyGb, prices.gbSecond),
  ]
}

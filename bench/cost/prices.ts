/**
 * cost: the cost of a run from its counted requests. Prices are defined only here. The price and
 * cost tables of docs/aws.md are generated from them and the files in docs/measured.
 */

/** List prices in US dollars for us-east-1, each for one unit, and the day of the list. */
export const prices = {
  asOf: '22 November 2026',
  writeUnit: 0.625 / 1e6,
  readUnit: 0.125 / 1e6,
  tableGbMonth: 0.25,
  pointInTimeRecoveryGbMonth: 0.2,
  put: 0.005 / 1e3,
  get: 0.0004 / 1e3,
  objectGbMonth: 0.023,
  message: 0.4 / 1e6,
  call: 0.2 / 1e6,
  gbSecond: 0.0000133334,
  fargateCpuHour: 0.03238,
  fargateGbHour: 0.00356,
  keyMonth: 1,
  keyRequest: 0.03 / 1e4,
  alarmMetricMonth: 0.1,
  metricMonth: 0.3,
  dashboardMonth: 3,
  logIngestedGb: 0.5,
  logStoredGbMonth: 0.03,
  imageGbMonth: 0.1,
  lambdaScratchGbSecond: 0.0000000309,
  publicIpv4Hour: 0.005,
  scheduledCall: 1 / 1e6,
  httpApiRequest: 1 / 1e6,
} as const

/** The counted requests of a run. */
export interface Counts {
  /** DynamoDB units. */
  readonly writeUnits: number
  readonly readUnits: number
  /** Requests to DynamoDB that write, and those that read. */
  readonly writes: number
  readonly reads: number
  /** Requests to S3 that are billed as PUT or LIST, and those billed as GET. */
  readonly puts: number
  readonly gets: number
  /** Billed requests to SQS, one for each started 64 KB. Empty receives are counted apart. */
  readonly messages: number
  /** Receives without a message, from polling event sources. */
  readonly emptyReceives: number
  readonly keyRequests: number
  /** Function calls and their GB-seconds, cold starts included. */
  readonly calls: number
  readonly coldStarts: number
  readonly gbSeconds: number
  /** Size of the functions' logs. */
  readonly logBytes: number
}

/** Counts of zero. */
export const noCounts: Counts = {
  ...{ writeUnits: 0, readUnits: 0, writes: 0, reads: 0, puts: 0, gets: 0, messages: 0 },
  ...{ emptyReceives: 0, keyRequests: 0, calls: 0, coldStarts: 0, gbSeconds: 0, logBytes: 0 },
}

/** Returns the sum of two counts. */
export function sumOf(counts: Counts, addition: Partial<Counts>): Counts {
  const names = Object.keys(counts) as (keyof Counts)[]
  const sums = names.map(name => [name, counts[name] + (addition[name] ?? 0)])
  return { ...counts, ...Object.fromEntries(sums) }
}

/** Returns the cost of counts in US dollars, without empty receives, which are idle cost. */
export function costOf(counts: Counts): number {
  return (
    counts.writeUnits * prices.writeUnit +
    counts.readUnits * prices.readUnit +
    counts.puts * prices.put +
    counts.gets * prices.get +
    counts.messages * prices.message +
    counts.keyRequests * prices.keyRequest +
    counts.calls * prices.call +
    counts.gbSeconds * prices.gbSecond +
    (counts.logBytes / 1e9) * prices.logIngestedGb
  )
}

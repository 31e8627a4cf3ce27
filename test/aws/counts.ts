/**
 * cost: the cost of a run from its counted requests. The prices are in shared/config. The price and
 * cost tables of docs/aws.md are generated from them and the files in docs/measured.
 */
import { awsPrices } from '../../shared/config/aws-prices.ts'
import { computeUsageCost, noUsage } from '../../shared/records/usage.ts'

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
  writeUnits: 0,
  readUnits: 0,
  writes: 0,
  reads: 0,
  puts: 0,
  gets: 0,
  messages: 0,
  emptyReceives: 0,
  keyRequests: 0,
  calls: 0,
  coldStarts: 0,
  gbSeconds: 0,
  logBytes: 0,
}

/** Returns the sum of two counts. */
export function addCounts(counts: Counts, addition: Partial<Counts>): Counts {
  const names = Object.keys(counts) as (keyof Counts)[]
  const sums = names.map(name => [name, counts[name] + (addition[name] ?? 0)])
  return { ...counts, ...Object.fromEntries(sums) }
}

/** Returns the cost of counts in US dollars, without empty receives, which are idle cost. */
export function costOf(counts: Counts): number {
  const usageCost = computeUsageCost({ ...noUsage, ...counts })
  return usageCost.total + (counts.logBytes / 1e9) * awsPrices.logIngestedGb
}

import { awsPrices } from '../config/aws-prices.ts'

/**
 * The billed usage of AWS by some work. Counts can be fractions, because several deployments can
 * share a call.
 */
export interface UsageCounts {
  /** Units of DynamoDB. */
  readonly writeUnits: number
  readonly readUnits: number
  /** Requests to S3 that are billed as PUT or LIST, and those billed as GET. */
  readonly puts: number
  readonly gets: number
  /** Requests to SQS, one for each started 64 KB. */
  readonly messages: number
  /** Requests to KMS. */
  readonly keyRequests: number
  /** Calls of functions of Lambda, and their GB-seconds. */
  readonly calls: number
  readonly gbSeconds: number
  /** Tasks of Fargate: hours of their processors and of their memory. */
  readonly taskCpuHours: number
  readonly taskGbHours: number
}

/** The parts of an installation that record their usage for deployments. `watcher`: the API. */
export const usageParts = ['generator', 'executor', 'compaction', 'watcher'] as const

/** A part of an installation that records its usage. */
export type UsagePart = (typeof usageParts)[number]

/** The usage of one call for one deployment. `run` identifies the call within its deployment. */
export interface UsageRecord {
  readonly part: UsagePart
  readonly run: string
  readonly counts: UsageCounts
}

/** The cost in US dollars. `functions`: functions and tasks. `requests`: all other usage. */
export interface UsageCost {
  readonly requests: number
  readonly functions: number
  readonly total: number
}

/** Usage of zero. */
export const noUsage: UsageCounts = {
  writeUnits: 0,
  readUnits: 0,
  puts: 0,
  gets: 0,
  messages: 0,
  keyRequests: 0,
  calls: 0,
  gbSeconds: 0,
  taskCpuHours: 0,
  taskGbHours: 0,
}

/** The fields of a usage. */
export const usageFields = Object.keys(noUsage) as readonly (keyof UsageCounts)[]

/** Returns `usage` plus `addition`, of which each field is multiplied by `factor`. */
export function addUsage(
  usage: UsageCounts,
  addition: Partial<UsageCounts>,
  factor = 1,
): UsageCounts {
  const sums = usageFields.map(field => [field, usage[field] + (addition[field] ?? 0) * factor])
  return { ...noUsage, ...Object.fromEntries(sums) }
}

/** Returns the cost of a usage at list prices. */
export function computeUsageCost(usage: UsageCounts): UsageCost {
  const requests =
    usage.writeUnits * awsPrices.writeUnit +
    usage.readUnits * awsPrices.readUnit +
    usage.puts * awsPrices.put +
    usage.gets * awsPrices.get +
    usage.messages * awsPrices.message +
    usage.keyRequests * awsPrices.keyRequest
  const functions =
    usage.calls * awsPrices.call +
    usage.gbSeconds * awsPrices.gbSecond +
    usage.taskCpuHours * awsPrices.fargateCpuHour +
    usage.taskGbHours * awsPrices.fargateGbHour
  return { requests, functions, total: requests + functions }
}

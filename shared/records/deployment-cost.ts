import { awsPrices } from '../config/aws-prices.ts'
import {
  addUsage,
  computeUsageCost,
  noUsage,
  type UsageCost,
  type UsageCounts,
  type UsagePart,
  type UsageRecord,
  usageParts,
} from './usage.ts'

/** Counted usage with its cost. */
export interface CountedCost {
  readonly counts: UsageCounts
  readonly cost: UsageCost
}

/** The cost of a deployment on AWS, in US dollars at list prices. */
export interface DeploymentCost {
  /** False where deployments run without functions of AWS. */
  readonly isBilled: boolean
  /** The day and the region of the list prices. */
  readonly prices: { readonly asOf: string; readonly region: string }
  /** The parts of the installation that worked for the deployment. */
  readonly parts: readonly (CountedCost & { readonly part: UsagePart })[]
  /** Absent if no usage is recorded. */
  readonly total?: CountedCost
}

const listPrices = { asOf: awsPrices.asOf, region: awsPrices.region }

const toCountedCost = (counts: UsageCounts): CountedCost => ({
  counts,
  cost: computeUsageCost(counts),
})

/** The cost of a deployment that no function of AWS served. */
export const freeDeploymentCost: DeploymentCost = {
  isBilled: false,
  prices: listPrices,
  parts: [],
  total: toCountedCost(noUsage),
}

/** Returns the cost of a deployment from its records of usage. */
export function sumDeploymentCost(records: readonly UsageRecord[]): DeploymentCost {
  const sumOfRecords = (summands: readonly UsageRecord[]): UsageCounts =>
    summands.reduce((sum, { counts }) => addUsage(sum, counts), noUsage)
  const parts = usageParts
    .map(part => ({ part, partRecords: records.filter(record => record.part === part) }))
    .filter(({ partRecords }) => partRecords.length > 0)
    .map(({ part, partRecords }) => ({ part, ...toCountedCost(sumOfRecords(partRecords)) }))
  const total = records.length === 0 ? {} : { total: toCountedCost(sumOfRecords(records)) }
  return { isBilled: true, prices: listPrices, parts, ...total }
}

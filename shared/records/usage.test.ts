import { expect, test } from 'vitest'
import { awsPrices } from '../config/aws-prices.ts'
import { freeDeploymentCost, sumDeploymentCost } from './deployment-cost.ts'
import { addUsage, computeUsageCost, noUsage, usageFields, type UsageRecord } from './usage.ts'

test('addUsage adds each field, multiplied by the factor', () => {
  const one = addUsage(noUsage, { writeUnits: 3, gbSeconds: 1.5 })
  expect(addUsage(one, { writeUnits: 1, calls: 2 }, -1)).toEqual({
    ...noUsage,
    writeUnits: 2,
    gbSeconds: 1.5,
    calls: -2,
  })
})

test('computeUsageCost charges each field at its list price', () => {
  const ones = Object.fromEntries(usageFields.map(field => [field, 1]))
  const { writeUnit, readUnit, put, get, message, keyRequest } = awsPrices
  const { call, gbSecond, fargateCpuHour, fargateGbHour } = awsPrices
  const requests = writeUnit + readUnit + put + get + message + keyRequest
  const functions = call + gbSecond + fargateCpuHour + fargateGbHour
  const cost = computeUsageCost({ ...noUsage, ...ones })
  expect(cost.requests).toBeCloseTo(requests, 12)
  expect(cost.functions).toBeCloseTo(functions, 12)
  expect(cost.total).toBeCloseTo(requests + functions, 12)
  // A million calls of 100 ms with 1 GB, from the price page of Lambda on ARM.
  expect(computeUsageCost({ ...noUsage, calls: 1e6, gbSeconds: 1e5 }).total).toBeCloseTo(1.53, 2)
})

test('sumDeploymentCost sums the usage of each part, in the order of the parts', () => {
  const record = (part: UsageRecord['part'], run: string, writeUnits: number): UsageRecord => ({
    part,
    run,
    counts: { ...noUsage, writeUnits, calls: 1 },
  })
  const records = [record('watcher', 'a', 1), record('generator', 'b', 5)]
  const cost = sumDeploymentCost([...records, record('generator', 'c', 7)])
  expect(cost.parts.map(({ part, counts }) => [part, counts.writeUnits, counts.calls])).toEqual([
    ['generator', 12, 2],
    ['watcher', 1, 1],
  ])
  expect(cost.total?.counts).toMatchObject({ writeUnits: 13, calls: 3 })
  expect(cost.total?.cost.total).toBeCloseTo(13 * awsPrices.writeUnit + 3 * awsPrices.call, 12)
})

test('a deployment without records has no total, and one without functions of AWS costs nothing', () => {
  expect(sumDeploymentCost([])).toMatchObject({ isBilled: true, parts: [] })
  expect(sumDeploymentCost([])).not.toHaveProperty('total')
  expect(freeDeploymentCost).toMatchObject({ isBilled: false, total: { cost: { total: 0 } } })
})

import { expect, test } from 'vitest'
import { awsAssumptions } from './assumptions.ts'
import { planCapacity } from './capacity-model.ts'
import type { Coefficients, RequestCounts } from './coefficients.ts'
import type { PlannedDeployment } from './planned-deployment.ts'
import { dependencyOf, shapeNames, shapeWavesOf } from './shapes.ts'

const none: RequestCounts = {
  writeUnits: 0,
  logWriteUnits: 0,
  readUnits: 0,
  messages: 0,
  puts: 0,
  gets: 0,
}
const coefficients: Coefficients = {
  fixed: { ...none, writeUnits: 50 },
  perStep: { ...none, writeUnits: 4, readUnits: 7, logWriteUnits: 0.1, messages: 1 },
}

function plan(
  change: Partial<PlannedDeployment>,
  perStep: Partial<RequestCounts> = {},
  assumptions = awsAssumptions,
) {
  const deployment: PlannedDeployment = {
    command: 'delete',
    resources: 1_000,
    callSeconds: 1,
    parallel: 1_000,
    executorsMax: 100,
    waves: [{ count: 1, width: change.resources ?? 1_000 }],
    ...change,
  }
  const counts = { ...coefficients, perStep: { ...coefficients.perStep, ...perStep } }
  return planCapacity(deployment, counts, assumptions)
}

test.each(shapeNames)('the waves of the shape %s contain all resources', shape => {
  for (const resources of [1, 7, 2_345]) {
    const total = shapeWavesOf(shape, resources).reduce(
      (sum, wave) => sum + wave.count * wave.width,
      0,
    )
    expect(total).toBe(resources)
  }
})

test.each(shapeNames)('the waves of the shape %s are those of its dependencies', shape => {
  const resources = 2_345
  const depths: number[] = []
  for (let position = 0; position < resources; position += 1) {
    const dependency = dependencyOf(shape, resources)(position)
    depths.push(dependency === undefined ? 0 : (depths[dependency] ?? 0) + 1)
  }
  const widths = shapeWavesOf(shape, resources).flatMap(({ count, width }) =>
    Array.from({ length: count }, () => width),
  )
  expect(widths.map((_, depth) => depths.filter(found => found === depth).length)).toEqual(widths)
})

test('no plan is faster than its calls', () => {
  const { wallSeconds } = plan({ callSeconds: 10, parallel: 100 })
  expect(wallSeconds).toBeGreaterThan((1_000 / 100) * 10)
  expect(wallSeconds).toBeLessThan((1_000 / 100) * 10 * 1.2)
})

// A cold start takes 3 s, a store request 8 ms, and a hop over the queue 60 ms.
test('a chain takes two cold starts and the sum of its calls, of their store requests and of the hops over the queue', () => {
  const chain = plan({ waves: [{ count: 1_000, width: 1 }] })
  const { wallSeconds, peakOperations, peakFunctions, firstLimit } = chain
  expect(wallSeconds).toBeCloseTo(2 * 3 + 1_000 * (1 + 4 * 0.008 + 0.06), 5)
  expect(peakOperations).toBe(1)
  expect(peakFunctions).toBe(2)
  expect(firstLimit).toBe('none')
})

test.each([
  ['--parallel', { callSeconds: 10, parallel: 10 }, {}],
  ['executorsMax', { callSeconds: 10, executorsMax: 1 }, {}],
  ['processor of the generator', { resources: 100_000, callSeconds: 0.1, parallel: 5_000 }, {}],
  [
    'partition of the decision log',
    { resources: 100_000, callSeconds: 0.1, parallel: 5_000 },
    { logWriteUnits: 10 },
  ],
  [
    'growth of the event source',
    { resources: 100_000, callSeconds: 60, parallel: 1e6, executorsMax: 1_000 },
    {},
  ],
])('the first limit is %s', (limit, change, perStep) => {
  expect(plan(change, perStep).firstLimit).toBe(limit)
})

test('functions that are added later take operations after a cold start too', () => {
  const withoutColdStart = {
    ...awsAssumptions,
    coldStart: { ...awsAssumptions.coldStart, value: 0 },
  }
  const change = { resources: 100_000, callSeconds: 60, parallel: 1e6, executorsMax: 1_000 }
  const { wallSeconds } = plan(change)
  expect(wallSeconds - plan(change, {}, withoutColdStart).wallSeconds).toBeCloseTo(2 * 3, 5)
})

test('only the first waves of equal width wait for the growth of functions', () => {
  const change = { resources: 100_000, waves: [{ count: 100, width: 1_000 }] }
  const { bindingSeconds, wallSeconds } = plan(change)
  expect(new Map(bindingSeconds).get('growth of the event source')).toBeLessThan(5)
  // With 1,000 slots of --parallel, the last operation of a wave starts within 1.032 s.
  expect(wallSeconds).toBeLessThan(2 * 3 + 100 * (1 + 4 * 0.008 + 0.06 + 1.032) + 5)
})

test('requests grow with the resources, and operations share messages', () => {
  const { requests, cost } = plan({ resources: 10_000 })
  expect(requests.writeUnits).toBe(50 + 4 * 10_000)
  expect(requests.messages).toBe(400)
  expect(cost).toBeGreaterThan(requests.writeUnits * 0.625e-6)
})

test('each message calls a function, and each 15 minutes of a function need another call', () => {
  expect(plan({ resources: 10_000 }).functionCalls).toBe(400 + 1)
  expect(plan({ resources: 10_000, callSeconds: 200 }).functionCalls).toBe(400 + 3)
  const chain = { waves: [{ count: 1_000, width: 1 }], callSeconds: 10 }
  expect(plan(chain, { messages: 0 }).functionCalls).toBe(12 + 12)
})

test('the cost contains a cold start of each executor', () => {
  const longerColdStart = {
    ...awsAssumptions,
    coldStart: { ...awsAssumptions.coldStart, value: 4 },
  }
  const { coldStarts, peakFunctions, cost, wallSeconds } = plan({})
  const longer = plan({}, {}, longerColdStart)
  expect(coldStarts).toBe(peakFunctions)
  expect(coldStarts).toBeGreaterThan(2)
  const seconds = longer.wallSeconds - wallSeconds + (coldStarts - 1)
  // A function has 3.008 GB, and a GB-second costs $0.0000133334.
  expect(longer.cost - cost).toBeCloseTo(seconds * 3.008 * 0.0000133334, 8)
})

test('an executor runs one operation of a chain at a time, even when a message continues it', () => {
  const { cost, wallSeconds } = plan({ waves: [{ count: 1_000, width: 1 }] }, { messages: 0 })
  const gbSecond = 3.008 * 0.0000133334
  expect(cost).toBeGreaterThan((wallSeconds + 1_000) * gbSecond)
})

test('a plan names the limits of a function and of a new table that it exceeds', () => {
  expect(plan({ resources: 2_000_000 }).exceeded).toEqual([
    'the generator needs 13938 MiB, but a function has at most 10240',
    'the generator outlives a function, so it hands over',
  ])
  expect(plan({}, { writeUnits: 10 }).exceeded).toEqual([
    expect.stringMatching(
      /^the table needs \d+ write units\/s, but a new one accepts 4000 at first/,
    ),
  ])
  expect(plan({}).exceeded).toEqual([])
})

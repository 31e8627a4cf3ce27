import { limits } from '../../shared/config/limits.ts'

/** A number that the model assumes, and its source: a document, or 'assumed' with a reason. */
export interface Assumption {
  readonly value: number
  readonly unit: string
  readonly source: string
}

/** The assumptions about AWS and about this engine. `awsAssumptions` has the usual ones. */
export interface Assumptions {
  readonly lambdaConcurrency: Assumption
  readonly lambdaRamp: Assumption
  readonly eventSourceRamp: Assumption
  readonly coldStart: Assumption
  readonly functionLimit: Assumption
  readonly functionMemoryMax: Assumption
  readonly operationsPerExecutor: Assumption
  readonly operationsPerMessage: Assumption
  readonly storeLatency: Assumption
  readonly queueHop: Assumption
  readonly partitionWrites: Assumption
  readonly tableWrites: Assumption
  readonly warmWrites: Assumption
  readonly generatorCpuCreate: Assumption
  readonly generatorCpuDelete: Assumption
  readonly executorCpu: Assumption
  readonly memoryPerResource: Assumption
  readonly memoryBase: Assumption
  readonly memoryGb: Assumption
}

const assume = (value: number, unit: string, source: string): Assumption => ({
  value,
  unit,
  source,
})

/** The source of medians. Those of later measurements may differ a little. */
const allTable = 'docs/measured/all.json of 2026-11-27'
const memoryTable = 'docs/measured/all.json of 2026-11-30'
const goLine = `${allTable}, processor time of '10,000 resources, Go'`

/** The assumptions for an account of AWS with the default quotas, in one region. */
export const awsAssumptions: Assumptions = {
  lambdaConcurrency: assume(1_000, 'functions', 'AWS Lambda Developer Guide: Lambda quotas'),
  lambdaRamp: assume(
    100,
    'functions/s',
    'AWS Lambda Developer Guide: scaling behaviour, 1,000 more in 10 s for each function',
  ),
  eventSourceRamp: assume(
    5,
    'functions/s',
    'AWS Lambda Developer Guide: SQS event sources of standard queues, 300 more each minute',
  ),
  coldStart: assume(3, 's', 'assumed, not measured on AWS: an archive with plugins of some 100 MB'),
  functionLimit: assume(900, 's', 'AWS Lambda Developer Guide: Lambda quotas'),
  functionMemoryMax: assume(10_240, 'MiB', 'AWS Lambda Developer Guide: Lambda quotas'),
  operationsPerExecutor: assume(
    limits.chainOperationsMax,
    'operations',
    'shared/config/limits.ts: chainOperationsMax',
  ),
  operationsPerMessage: assume(
    25,
    'operations',
    'docs/measured/cost.json: 1,000 creates in 43 calls of functions, some 40 of executors',
  ),
  storeLatency: assume(0.008, 's', 'Amazon DynamoDB Developer Guide: single-digit milliseconds'),
  queueHop: assume(
    0.06,
    's',
    'assumed, not measured on AWS: a send, a receive of the event source, and a call',
  ),
  partitionWrites: assume(
    1_000,
    'write units/s',
    'Amazon DynamoDB Developer Guide: partition key design, one partition',
  ),
  tableWrites: assume(
    40_000,
    'write units/s',
    'Amazon DynamoDB Developer Guide: quotas, on-demand table in its first quota',
  ),
  warmWrites: assume(4_000, 'write units/s', 'infra/settings.ts: warmWrites, without an increase'),
  generatorCpuCreate: assume(
    2.2,
    'ms',
    `${goLine}, create: 22.4 s for all processes, with executor, SQLite, program and provider`,
  ),
  generatorCpuDelete: assume(
    0.83,
    'ms',
    `${goLine}, destroy: 8.3 s for all processes, with executor, SQLite and provider`,
  ),
  executorCpu: assume(
    1,
    'ms',
    `${goLine}, create without no-op: 22.4 s - 12.5 s, with the decisions of the create`,
  ),
  memoryPerResource: assume(
    7,
    'KiB',
    `${memoryTable}, create of 100,000 without that of 10,000 resources: 947 MiB - 334 MiB`,
  ),
  memoryBase: assume(
    266,
    'MiB',
    `${memoryTable}, create of 10,000 resources: 334 MiB without 10,000 times memoryPerResource`,
  ),
  memoryGb: assume(3.008, 'GB', 'infra/settings.ts: generatorMb and executorMb'),
}

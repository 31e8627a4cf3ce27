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
  coldStart: assume(3, 's', 'assumed: an archive with plugins of some 100 MB'),
  functionLimit: assume(900, 's', 'AWS Lambda Developer Guide: Lambda quotas'),
  functionMemoryMax: assume(10_240, 'MB', 'AWS Lambda Developer Guide: Lambda quotas'),
  operationsPerExecutor: assume(
    limits.chainOperationsMax,
    'operations',
    'shared/config/limits.ts: chainOperationsMax',
  ),
  operationsPerMessage: assume(
    25,
    'operations',
    'docs/measured/cost.json: 1,000 creates in some 40 calls of executors',
  ),
  storeLatency: assume(0.008, 's', 'Amazon DynamoDB Developer Guide: single-digit milliseconds'),
  queueHop: assume(0.06, 's', 'assumed: a send, a receive of the event source, and a call'),
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
  generatorCpuCreate: assume(3.3, 'ms', 'docs/benchmarks.md: cpu, create of 10,000'),
  generatorCpuDelete: assume(1.1, 'ms', 'docs/benchmarks.md: cpu, destroy of 10,000'),
  executorCpu: assume(1, 'ms', 'assumed: a third of the processor time of a create in one process'),
  memoryPerResource: assume(
    14,
    'KB',
    'docs/benchmarks.md: memory of a deployment, difference of 3,000 and 10,000',
  ),
  memoryBase: assume(240, 'MB', 'docs/benchmarks.md: memory of a deployment, without resources'),
  memoryGb: assume(3.008, 'GB', 'infra/settings.ts: generatorMb and executorMb'),
}

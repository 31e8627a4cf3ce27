/**
 * The list prices of AWS. This is their only definition: `deployment cost`, the benchmarks and the
 * tables of docs/aws.md use it. US dollars, each for one unit, without free tiers.
 */
export const awsPrices = {
  asOf: '22 November 2026',
  region: 'us-east-1',
  // DynamoDB
  writeUnit: 0.625 / 1e6,
  readUnit: 0.125 / 1e6,
  tableGbMonth: 0.25,
  pointInTimeRecoveryGbMonth: 0.2,
  // Requests and storage of S3
  put: 0.005 / 1e3,
  get: 0.0004 / 1e3,
  objectGbMonth: 0.023,
  // A request of SQS
  message: 0.4 / 1e6,
  // Lambda, and the tasks of the long pool
  call: 0.2 / 1e6,
  gbSecond: 0.0000133334,
  fargateCpuHour: 0.03238,
  fargateGbHour: 0.00356,
  // KMS
  keyMonth: 1,
  keyRequest: 0.03 / 1e4,
  // CloudWatch
  alarmMetricMonth: 0.1,
  metricMonth: 0.3,
  dashboardMonth: 3,
  logIngestedGb: 0.5,
  logStoredGbMonth: 0.03,
  // Other services
  imageGbMonth: 0.1,
  lambdaScratchGbSecond: 0.0000000309,
  publicIpv4Hour: 0.005,
  scheduledCall: 1 / 1e6,
  httpApiRequest: 1 / 1e6,
} as const

import { expect, test } from 'vitest'
import { createMetricWriter, type PutMetric } from './metrics.ts'

const written: string[] = []
const put = createMetricWriter({
  installation: 'site',
  write: line => void written.push(line),
  clock: { now: () => 1_700_000_000_000 as never },
})

const cases: readonly (readonly [Parameters<PutMetric>, object, object])[] = [
  [
    ['stuckDeployments', 3],
    { Name: 'StuckDeployments', Unit: 'Count' },
    { Installation: 'site', StuckDeployments: 3 },
  ],
  [
    ['compactionLag', 1.5],
    { Name: 'CompactionLagSeconds', Unit: 'Seconds' },
    { Installation: 'site', CompactionLagSeconds: 1.5 },
  ],
]

test.each(cases)(
  '%j is written as one line from which CloudWatch reads a metric',
  (args, metric, fields) => {
    put(...args)
    const [line = ''] = written.splice(0)
    expect(line.trimEnd().split('\n')).toHaveLength(1)
    const dimensions = Object.keys(fields).filter(
      name => !(Object.values(metric) as string[]).includes(name),
    )
    expect(JSON.parse(line)).toEqual({
      _aws: {
        Timestamp: 1_700_000_000_000,
        CloudWatchMetrics: [
          { Namespace: 'Antichain', Dimensions: [dimensions], Metrics: [metric] },
        ],
      },
      ...fields,
    })
  },
)

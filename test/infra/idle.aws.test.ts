import { expect, test } from 'vitest'
import { idleResources } from '../../bench/cost/idle-cost.ts'
import { synthesise } from './synthesise.ts'

const { resources } = synthesise()

test('the idle cost is calculated from the contents of the templates', () => {
  const alarms = [...resources('AWS::CloudWatch::Alarm').values()]
  const metrics = alarms.flatMap(({ Properties: { Metrics, MetricName } }) => {
    const metricsOfAlarm = (Metrics ?? [{ MetricStat: MetricName }]) as {
      readonly MetricStat?: unknown
    }[]
    return metricsOfAlarm.filter(({ MetricStat }) => MetricStat !== undefined)
  })
  const functions = [...resources('AWS::Lambda::Function').values()].map(one => one.Properties)
  const compaction = functions.find(({ FunctionName }) =>
    String(FunctionName).endsWith('-compaction'),
  )
  expect({
    keys: resources('AWS::KMS::Key').size,
    alarmMetrics: metrics.length,
    dashboards: resources('AWS::CloudWatch::Dashboard').size,
    eventSources: resources('AWS::Lambda::EventSourceMapping').size,
    compactionGb: Number(compaction?.['MemorySize']) / 1024,
  }).toEqual(idleResources)
})

import { expect, test } from 'vitest'
import { idleResources, leanIdleResources } from '../../bench/cost/idle-cost.ts'
import { synthesise } from './synthesise.ts'

test.each([
  ['the default settings', {}, idleResources],
  ['the lowest cost', { dataKey: 'aws', alarms: 'one', dashboard: 'off' }, leanIdleResources],
])('the idle cost with %s is that of the contents of the templates', (_, settings, expected) => {
  const { resources } = synthesise(settings)
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
  }).toEqual(expected)
})

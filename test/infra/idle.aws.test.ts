import { expect, test } from 'vitest'
import {
  freeAllowances,
  groupIdleResources,
  idleResources,
  leanGroupIdleResources,
  leanIdleResources,
} from '../../bench/cost/idle-cost.ts'
import { queueNames } from '../../shared/config/aws-resource-names.ts'
import { synthesise } from './synthesise.ts'

const leanSettings = {
  dataKey: 'aws',
  secretsKey: 'arn:aws:kms:eu-central-1:111122223333:key/0a',
  alarms: 'one',
  dashboard: 'off',
}

test.each([
  ['the default settings', {}, idleResources],
  ['the lowest cost', leanSettings, leanIdleResources],
])('the idle resources with %s are those of the templates', (_, settings, expected) => {
  expect(countIdleResources(settings)).toEqual(expected)
})

test.each([
  ['the default settings', {}, groupIdleResources],
  ['the lowest cost', leanSettings, leanGroupIdleResources],
])(
  'the idle resources of a group with %s are those that the group adds to the templates',
  (_, settings, expected) => {
    const without = countIdleResources(settings)
    const withGroup = countIdleResources({ ...settings, groups: 'payments=pay-*' }, 'payments')
    // A field in Gb is the memory size of one function. A difference of sizes has no meaning.
    const added = Object.entries(withGroup).map(([name, count]) => [
      name,
      name.endsWith('Gb') ? count : count - (without[name] ?? 0),
    ])
    expect(Object.fromEntries(added)).toEqual(expected)
  },
)

test('the dashboard of an installation without groups has the age of each queue, within the free allowance', () => {
  const [dashboard] = synthesise().resources('AWS::CloudWatch::Dashboard').values()
  const body = dashboard?.Properties['DashboardBody'] as
    | { readonly 'Fn::Join': readonly [string, readonly unknown[]] }
    | undefined
  // The other parts are names of resources.
  const text = (body?.['Fn::Join'][1] ?? []).map(part => (typeof part === 'string' ? part : 'name'))
  const { widgets } = JSON.parse(text.join('')) as {
    readonly widgets: readonly { readonly properties: { readonly metrics: readonly unknown[] } }[]
  }
  const count = widgets.reduce((sum, { properties }) => sum + properties.metrics.length, 0)
  expect(count).toBeGreaterThan(40)
  const ages = text.join('').match(/"ApproximateAgeOfOldestMessage"/g)
  expect(ages).toHaveLength(queueNames.length)
  expect(count).toBeLessThanOrEqual(freeAllowances.dashboardMetrics)
})

/**
 * Counts the idle resources of the templates. The memory sizes are those of the functions of a
 * group, if one is named, otherwise of the installation.
 */
function countIdleResources(
  settings: Readonly<Record<string, unknown>>,
  group?: string,
): Record<string, number> {
  const prefix = group === undefined ? 'antichain' : `antichain_${group}`
  const { resources } = synthesise(settings)
  const alarms = [...resources('AWS::CloudWatch::Alarm').values()]
  const metrics = alarms.flatMap(({ Properties: { Metrics, MetricName } }) => {
    const metricsOfAlarm = (Metrics ?? [{ MetricStat: MetricName }]) as {
      readonly MetricStat?: unknown
    }[]
    return metricsOfAlarm.filter(({ MetricStat }) => MetricStat !== undefined)
  })
  const functions = [...resources('AWS::Lambda::Function').values()].map(
    resource => resource.Properties,
  )
  const readGb = (name: string): number => {
    const found = functions.find(({ FunctionName }) => FunctionName === `${prefix}-${name}`)
    return Number(found?.['MemorySize']) / 1024
  }
  return {
    keys: resources('AWS::KMS::Key').size,
    alarmMetrics: metrics.length,
    dashboards: resources('AWS::CloudWatch::Dashboard').size,
    eventSources: resources('AWS::Lambda::EventSourceMapping').size,
    compactionGb: readGb('compaction'),
    scalerGb: readGb('scaler'),
  }
}

import { expect, test } from 'vitest'
import { awsVariables } from '../../shared/config/aws-resource-names.ts'
import { openScheduleTriggers, openWebhookTriggers } from './open-triggers.ts'

const names = Object.values(awsVariables).map(variable => [variable, 'shop'] as const)
const env = {
  ...Object.fromEntries(names),
  [awsVariables.groups]: 'payments=pay-*;web=site',
  [awsVariables.groupKeys]: 'one,two',
  AWS_REGION: 'eu-central-1',
}

// The functions send only the telemetry of the first group. Other telemetry would be lost.
test.each([
  ['schedule', openScheduleTriggers],
  ['webhook', openWebhookTriggers],
])('all groups of the %s function have the same telemetry and logger', (_, open) => {
  const { telemetry, logger, otherGroups = [] } = open(env)
  expect(otherGroups.map(({ name }) => name)).toEqual(['payments', 'web'])
  for (const { ports } of otherGroups) {
    expect(ports.telemetry).toBe(telemetry)
    expect(ports.logger).toBe(logger)
  }
})

import { expect, test } from 'vitest'
import { createAlarmPort } from './cloudwatch-alarm.ts'

/** Creates a client that records the inputs of commands, and responds by their names. */
function createClient(responses: Readonly<Record<string, object>>) {
  const inputs: object[] = []
  const send = async (command: { readonly input: object }): Promise<never> => {
    inputs.push(command.input)
    return (responses[command.constructor.name] ?? {}) as never
  }
  return { client: { send } as never, inputs }
}

test('an alarm has its state and the time of its last change', async () => {
  const changedAt = new Date(7)
  const MetricAlarms = [{ StateValue: 'ALARM', StateUpdatedTimestamp: changedAt }]
  const { client } = createClient({ DescribeAlarmsCommand: { MetricAlarms } })
  expect(await createAlarmPort(client, 'a').read()).toEqual({ isRaised: true, changedAt })
})

test('a missing alarm is read as undefined', async () => {
  const { client } = createClient({ DescribeAlarmsCommand: { MetricAlarms: [] } })
  expect(await createAlarmPort(client, 'a').read()).toBeUndefined()
})

test('the state is set with its reason, and only actions since a time are listed', async () => {
  const AlarmHistoryItems = [{ HistorySummary: 'Successfully executed action x' }]
  const { client, inputs } = createClient({ DescribeAlarmHistoryCommand: { AlarmHistoryItems } })
  const alarm = createAlarmPort(client, 'a')
  await alarm.setState('ALARM', 'test')
  expect(await alarm.listActions(new Date(5))).toEqual(['Successfully executed action x'])
  expect(inputs).toMatchObject([
    { AlarmName: 'a', StateValue: 'ALARM', StateReason: 'test' },
    { AlarmName: 'a', HistoryItemType: 'Action', StartDate: new Date(5) },
  ])
})

import {
  type CloudWatchClient,
  DescribeAlarmHistoryCommand,
  DescribeAlarmsCommand,
  SetAlarmStateCommand,
} from '@aws-sdk/client-cloudwatch'
import type { AlarmPort } from './platform-port.ts'
import { sendOrUndefined } from './send-or-undefined.ts'

/** Maximum number of actions in one response. An alarm has one for each change to ALARM. */
const actionsMax = 10

/** Creates the access to one alarm. */
export function createAlarmPort(client: Pick<CloudWatchClient, 'send'>, name: string): AlarmPort {
  return {
    read: async () => {
      const command = new DescribeAlarmsCommand({ AlarmNames: [name] })
      const response = await sendOrUndefined(() => client.send(command))
      const [alarm] = response?.MetricAlarms ?? []
      if (alarm?.StateUpdatedTimestamp === undefined) return undefined
      return { isRaised: alarm.StateValue === 'ALARM', changedAt: alarm.StateUpdatedTimestamp }
    },
    setState: async (StateValue, StateReason) => {
      const command = new SetAlarmStateCommand({ AlarmName: name, StateValue, StateReason })
      await sendOrUndefined(() => client.send(command))
    },
    listActions: async since => {
      const command = new DescribeAlarmHistoryCommand({
        AlarmName: name,
        HistoryItemType: 'Action',
        StartDate: since,
        MaxRecords: actionsMax,
      })
      const response = await sendOrUndefined(() => client.send(command))
      return (response?.AlarmHistoryItems ?? []).flatMap(
        ({ HistorySummary }) => HistorySummary ?? [],
      )
    },
  }
}

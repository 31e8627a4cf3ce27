import { deadLetterAlarmOf } from '../../shared/config/aws-resource-names.ts'
import type { CheckOutcome } from './check-report.ts'

/**
 * Returns the commands that raise an alarm of an installation and show its action. This process
 * does not run them: they need other permissions than the token of the API.
 */
export function createAlarmOutcome(installation: string, region: string | undefined): CheckOutcome {
  const name = `${installation}-${deadLetterAlarmOf('chains')}`
  const alarm = `--alarm-name ${name} --region ${region ?? '<region>'}`
  return {
    result: 'skipped',
    message: 'Not checked: the commands below need AWS credentials.',
    commands: [
      `aws cloudwatch set-alarm-state ${alarm} --state-value ALARM --state-reason "antichain platform verify"`,
      `aws cloudwatch describe-alarm-history ${alarm} --history-item-type Action --max-records 1`,
    ],
  }
}

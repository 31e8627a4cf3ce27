import { error } from '../../errors/error.ts'
import type { ControlPort, DecisionLogPort } from '../../ports/records.ts'
import { deploymentPartsOf, type DeploymentId, type LogNumber } from '../../records/ids.ts'
import type { LogRecord } from '../../records/log.ts'

/**
 * A decision log that is read without gaps: what a gap left out would be lost in silence by a fold,
 * and its number would be taken for the end of the log. Nothing is asked besides the read where
 * there is none. Throws RECORD_DAMAGED with the key of a record that is missing, RECORDS_REMOVED
 * where retention has begun to remove them: it does so from the first one on, and only after the
 * close.
 */
export function withoutGaps(decisionLog: DecisionLogPort, control: ControlPort): DecisionLogPort {
  return {
    ...decisionLog,
    read: async (deployment, from, limit) => {
      const records: LogRecord[] = []
      for (;;) {
        const next = (from + records.length) as LogNumber
        const page = await decisionLog.read(deployment, next, limit - records.length)
        const whole = page.findIndex(({ number }, at) => number !== next + at)
        if (whole < 0) return [...records, ...page]
        records.push(...page.slice(0, whole))
        // A store may pass a place before it is written and one behind it after: so look again.
        const missing = (next + whole) as LogNumber
        const [again] = await decisionLog.read(deployment, missing, 1)
        if (again?.number !== missing)
          throw await missingError({ decisionLog, control }, deployment, missing)
      }
    },
  }
}

async function missingError(
  {
    decisionLog,
    control,
  }: { readonly decisionLog: DecisionLogPort; readonly control: ControlPort },
  deployment: DeploymentId,
  number: LogNumber,
): Promise<Error> {
  const closed = (await control.read(deployment))?.closed ?? true
  const [first] = await decisionLog.read(deployment, 0 as LogNumber, 1)
  if (closed && first?.number !== 0) {
    const { number: which } = deploymentPartsOf(deployment)
    return error('RECORDS_REMOVED', `the records of deployment ${which} were removed`)
  }
  const key = `(deployment ${deployment}, number ${number})`
  return error('RECORD_DAMAGED', `the log record ${key} is missing, and others come after it`, {
    details: { kind: 'log', deployment, number },
  })
}

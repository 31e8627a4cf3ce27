import { error } from '../../errors/error.ts'
import type { ControlPort, DecisionLogPort } from '../../ports/records.ts'
import { deploymentPartsOf, type DeploymentId, type LogNumber } from '../../records/ids.ts'
import type { LogRecord } from '../../records/log.ts'

/**
 * Returns a decision log whose reads have no gaps. A fold would silently lose a missing record, and
 * its number would look like the end of the log. Reads without a gap need no further request.
 * Throws RECORD_DAMAGED with the key of a missing record. Throws RECORDS_REMOVED when retention has
 * begun to remove the records, which happens from the first one on and only after the close.
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
        // A read may pass a position before it is written and still return a later one, so the
        // record is read again.
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
  return error('RECORD_DAMAGED', `the log record ${key} is missing, but later records exist`, {
    details: { kind: 'log', deployment, number },
  })
}

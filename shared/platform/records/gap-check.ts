import { createError } from '../../errors/error.ts'
import type { ControlPort, DecisionLogPort } from '../../ports/records.ts'
import { deploymentPartsOf, type DeploymentId, type LogNumber } from '../../records/ids.ts'
import type { LogRecord } from '../../records/log.ts'

/**
 * Returns a decision log that checks each read for missing records. Without the check, a fold would
 * silently skip a missing record, or a reader would stop before the gap. A read without a gap makes
 * no further request. A read throws RECORD_DAMAGED with the key of a missing record. It throws
 * RECORDS_REMOVED when retention has begun to remove the records. Retention removes the first
 * record first, and only after the close of the deployment.
 */
export function withGapCheck(decisionLog: DecisionLogPort, control: ControlPort): DecisionLogPort {
  return {
    ...decisionLog,
    read: async (deployment, fromNumber, limit) => {
      const records: LogRecord[] = []
      for (;;) {
        const nextNumber = (fromNumber + records.length) as LogNumber
        const page = await decisionLog.read(deployment, nextNumber, limit - records.length)
        const gapIndex = page.findIndex(({ number }, index) => number !== nextNumber + index)
        if (gapIndex < 0) return [...records, ...page]
        records.push(...page.slice(0, gapIndex))
        // A record that was written during the read can be absent from a page that has later
        // records. The missing record is therefore read again.
        const missingNumber = (nextNumber + gapIndex) as LogNumber
        const [rereadRecord] = await decisionLog.read(deployment, missingNumber, 1)
        if (rereadRecord?.number !== missingNumber)
          throw await createMissingRecordError({ decisionLog, control }, deployment, missingNumber)
      }
    },
  }
}

async function createMissingRecordError(
  {
    decisionLog,
    control,
  }: { readonly decisionLog: DecisionLogPort; readonly control: ControlPort },
  deployment: DeploymentId,
  number: LogNumber,
): Promise<Error> {
  const isClosed = (await control.read(deployment))?.closed ?? true
  const [firstRecord] = await decisionLog.read(deployment, 0 as LogNumber, 1)
  if (isClosed && firstRecord?.number !== 0) {
    const { number: deploymentNumber } = deploymentPartsOf(deployment)
    return createError(
      'RECORDS_REMOVED',
      `the records of deployment ${deploymentNumber} were removed`,
    )
  }
  const keyText = `(deployment ${deployment}, number ${number})`
  return createError(
    'RECORD_DAMAGED',
    `the log record ${keyText} is missing, but later records exist`,
    {
      details: { kind: 'log', deployment, number },
    },
  )
}

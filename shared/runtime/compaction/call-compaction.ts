import * as z from 'zod'
import { messageOf } from '../../errors/error.ts'
import { callLambda, type LambdaInvoker } from '../../platform/aws/lambda-client.ts'
import type { LoggerPort } from '../../ports/system.ts'
import type { BlobHash, DeploymentId } from '../../records/ids.ts'

/** The result of a compaction call. */
const compactionResultForm = z.object({
  version: z.int(),
  snapshot: z.string().transform(hash => hash as BlobHash),
})

/** Folds a closing deployment and publishes its snapshot. */
export type Compact = (
  deployment: DeploymentId,
) => Promise<{ readonly version: number; readonly snapshot: BlobHash }>

/**
 * Creates the call of the compaction function. If the function cannot be called, dies or fails,
 * `compactHere` folds the deployment, so the close does not depend on the function. If the
 * function has published before its failure, `compactHere` creates the same snapshot and returns
 * it. Throws the errors of `compactHere`.
 */
export function createCompactionCaller(deps: {
  readonly lambda: LambdaInvoker
  readonly functionArn: string
  readonly compactHere: Compact
  readonly logger: LoggerPort
}): Compact {
  const { lambda, functionArn, compactHere, logger } = deps
  return async deployment => {
    try {
      const payload = { kind: 'compact', deployment }
      const outcome = await callLambda(lambda, { functionArn, payload })
      if (outcome.kind === 'failed') throw new Error(outcome.reason)
      return compactionResultForm.parse(outcome.value)
    } catch (thrown) {
      logger.write('warn', 'compaction.uncalled', { deployment, message: messageOf(thrown) })
      return compactHere(deployment)
    }
  }
}

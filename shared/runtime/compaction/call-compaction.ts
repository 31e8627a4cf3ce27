import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { awsLimits } from '../../config/aws-limits.ts'
import { messageOf } from '../../errors/error.ts'
import { type AwsSettings, createClientConfig } from '../../platform/aws/clients.ts'
import type { LoggerPort } from '../../ports/system.ts'
import type { BlobHash, DeploymentId } from '../../records/ids.ts'
import { z } from 'zod'

/** The result of a compaction call. */
const compactionResultForm = z.object({
  version: z.int(),
  snapshot: z.string().transform(hash => hash as BlobHash),
})

/** Folds a settled deployment and publishes its snapshot. */
export type Compact = (
  deployment: DeploymentId,
) => Promise<{ readonly version: number; readonly snapshot: BlobHash }>

/** Calls functions: a client of Lambda, or a replacement for it. */
export type LambdaInvoker = Pick<LambdaClient, 'send'>

/**
 * Creates the client with which a generator calls compaction. The client has a long timeout and
 * does not retry, because the function responds only after it has published the snapshot.
 */
export function createLambdaClient(settings: AwsSettings): LambdaClient {
  return new LambdaClient({
    ...createClientConfig(settings, 'LAMBDA', awsLimits.compactionResponseTimeoutMs),
    maxAttempts: 1,
  })
}

/**
 * Creates the call of the compaction function. If the function cannot be called, dies or fails,
 * `compactHere` folds the deployment, so that the close does not depend on the function. Both folds
 * create the same snapshot, and the second one finds it published. Throws the errors of
 * `compactHere`.
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
      const payload = JSON.stringify({ kind: 'compact', deployment })
      const command = new InvokeCommand({
        FunctionName: functionArn,
        Payload: Buffer.from(payload),
      })
      const { FunctionError: functionError, Payload } = await lambda.send(command)
      const text = Buffer.from(Payload ?? []).toString('utf8')
      if (functionError !== undefined) throw new Error(`${functionError}: ${text.slice(0, 500)}`)
      return compactionResultForm.parse(JSON.parse(text))
    } catch (thrown) {
      logger.write('warn', 'compaction.uncalled', { deployment, message: messageOf(thrown) })
      return compactHere(deployment)
    }
  }
}

import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { awsLimits } from '../../config/aws-limits.ts'
import { messageOf } from '../../errors/error.ts'
import { type AwsSettings, createClientConfig } from '../../platform/aws/clients.ts'
import type { LoggerPort } from '../../ports/system.ts'
import type { BlobHash, DeploymentId } from '../../records/ids.ts'
import { z } from 'zod'

/** What a call to fold a deployment comes to. */
const compactionResultForm = z.object({
  version: z.int(),
  snapshot: z.string().transform(hash => hash as BlobHash),
})

/** Folds a deployment that is settled and publishes its snapshot. */
export type Compact = (
  deployment: DeploymentId,
) => Promise<{ readonly version: number; readonly snapshot: BlobHash }>

/** Who calls functions: a client of Lambda, or what stands for one. */
export type LambdaInvoker = Pick<LambdaClient, 'send'>

/** The client by which a generator calls compaction, whose answer comes after all its work. */
export function createLambdaClient(settings: AwsSettings): LambdaClient {
  return new LambdaClient({
    ...createClientConfig(settings, 'LAMBDA', awsLimits.compactionAnswerMs),
    maxAttempts: 1,
  })
}

/**
 * Compaction by its function. Where that cannot be called, dies, or fails, the deployment is folded
 * by `here`, for its end must wait for nobody: both come to the same snapshot, and whoever is
 * second finds it published. Throws what `here` throws.
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
      const { FunctionError: failed, Payload } = await lambda.send(command)
      const text = Buffer.from(Payload ?? []).toString('utf8')
      if (failed !== undefined) throw new Error(`${failed}: ${text.slice(0, 500)}`)
      return compactionResultForm.parse(JSON.parse(text))
    } catch (thrown) {
      logger.write('warn', 'compaction.uncalled', { deployment, message: messageOf(thrown) })
      return compactHere(deployment)
    }
  }
}

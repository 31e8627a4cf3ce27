import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { awsLimits } from '../../shared/config/aws-limits.ts'
import { messageOf } from '../../shared/errors/error.ts'
import { type AwsSettings, clientConfig } from '../../shared/platform/aws/clients.ts'
import type { LogPort } from '../../shared/ports/system.ts'
import type { BlobHash, DeploymentId } from '../../shared/records/ids.ts'
import { compacted } from '../compaction/serve-compaction.ts'

/** Folds a deployment that is settled and publishes its snapshot. */
export type Compact = (
  deployment: DeploymentId,
) => Promise<{ readonly version: number; readonly snapshot: BlobHash }>

/** Who calls functions: a client of Lambda, or what stands for one. */
export type Invokes = Pick<LambdaClient, 'send'>

/** The client by which a generator calls compaction, whose answer comes after all its work. */
export function createLambda(settings: AwsSettings): LambdaClient {
  return new LambdaClient({
    ...clientConfig(settings, 'LAMBDA', awsLimits.compactionAnswerMs),
    maxAttempts: 1,
  })
}

/**
 * Compaction by its function. Where that cannot be called, dies, or fails, the deployment is folded
 * by `here`, for its end must wait for nobody: both come to the same snapshot, and whoever is
 * second finds it published. Throws what `here` throws.
 */
export function byFunction(about: {
  readonly lambda: Invokes
  readonly functionArn: string
  readonly here: Compact
  readonly journal: LogPort
}): Compact {
  const { lambda, functionArn, here, journal } = about
  return async deployment => {
    try {
      const payload = JSON.stringify({ kind: 'compact', deployment })
      const asked = new InvokeCommand({ FunctionName: functionArn, Payload: Buffer.from(payload) })
      const { FunctionError: failed, Payload } = await lambda.send(asked)
      const text = Buffer.from(Payload ?? []).toString('utf8')
      if (failed !== undefined) throw new Error(`${failed}: ${text.slice(0, 500)}`)
      return compacted.parse(JSON.parse(text))
    } catch (thrown) {
      journal.write('warn', 'compaction.uncalled', { deployment, message: messageOf(thrown) })
      return here(deployment)
    }
  }
}

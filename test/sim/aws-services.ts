import { limits } from '../../shared/config/limits.ts'
import { simulationStartMs } from './clock.ts'
import type { Coverage } from './coverage.ts'
import type { SeededDraw } from './draw.ts'
import { createModelBucket, type ModelBucket } from './model-bucket.ts'
import { createWatchedDynamo, type WatchedDynamo } from './watched-dynamo.ts'
import { createDynamoAnomalies, type SendWithAnomalies } from './dynamo-anomalies.ts'
import type { Observer } from './store.ts'
import { createModelQueues, type ModelQueues } from './model-queues.ts'
import type { Scheduler } from './scheduler.ts'

/** Models of the AWS services. They outlive all simulated processes. */
export interface AwsServices {
  readonly queues: ModelQueues
  readonly bucket: ModelBucket
  readonly dynamo: WatchedDynamo
  /** Injects the conflicts, stale reads, partial batches and short pages of DynamoDB. */
  readonly sendWithAnomalies: SendWithAnomalies
}

/** URLs of the chain queues by pool. */
export const chainUrls = {
  short: { url: 'q/chains', deadLetterUrl: 'q/chains-dead' },
  long: { url: 'q/chains-long', deadLetterUrl: 'q/chains-long-dead' },
} as const
/** URL of the nudge queue. */
export const nudgesUrl = 'q/nudges'

/** Creates empty queues, tables, and an empty bucket. */
export function createAwsServices(
  world: Pick<Coverage, 'cover'> & {
    readonly scheduler: Scheduler
    readonly draw: SeededDraw
    readonly observer: Observer
  },
): AwsServices {
  const { scheduler, draw, cover, observer } = world
  const queueWorld = {
    nowMs: scheduler.nowMs,
    after: (ms: number, call: () => void) => scheduler.after(ms, call),
    draw: draw.fork('queues of AWS'),
    onEvent: (event: string) => cover('rule', `SQS: ${event}`),
  }
  const receivesMax = limits.deliveriesMax
  const chainQueues = Object.values(chainUrls).flatMap(({ url, deadLetterUrl }) => [
    { url, deadLetterQueue: { url: deadLetterUrl, receivesMax } },
    { url: deadLetterUrl },
  ])
  return {
    queues: createModelQueues(queueWorld, [...chainQueues, { url: nudgesUrl }]),
    bucket: createModelBucket(() => simulationStartMs + scheduler.nowMs()),
    dynamo: createWatchedDynamo(observer),
    sendWithAnomalies: createDynamoAnomalies(draw.fork('tables of AWS'), event =>
      cover('rule', `DynamoDB: ${event}`),
    ),
  }
}

import { limits } from '../../shared/config/limits.ts'
import { beganAtMs } from './clock.ts'
import type { Coverage } from './coverage.ts'
import type { Draw } from './draw.ts'
import { createModelBucket, type ModelBucket } from './model-bucket.ts'
import { createWatchedDynamo, type WatchedDynamo } from './dynamo-watch.ts'
import { createWeather, type Weather } from './dynamo-weather.ts'
import type { Observer } from './store.ts'
import { createModelQueues, type ModelQueues } from './model-queues.ts'
import type { Scheduler } from './scheduler.ts'

/** The services of AWS that outlive all processes. */
export interface AwsServices {
  readonly queues: ModelQueues
  readonly bucket: ModelBucket
  readonly dynamo: WatchedDynamo
  /** What DynamoDB does of its own accord. */
  readonly weather: Weather
}

/** Queues of chains by their pool. */
export const chainUrls = {
  short: { url: 'q/chains', deadUrl: 'q/chains-dead' },
  long: { url: 'q/chains-long', deadUrl: 'q/chains-long-dead' },
} as const
/** The queue of nudges. */
export const nudgesUrl = 'q/nudges'

/** Empty queues, tables, and an empty bucket. */
export function createAwsServices(
  world: Pick<Coverage, 'covered'> & {
    readonly scheduler: Scheduler
    readonly draw: Draw
    readonly observer: Observer
  },
): AwsServices {
  const { scheduler, draw, covered, observer } = world
  const about = {
    nowMs: scheduler.nowMs,
    after: (ms: number, call: () => void) => scheduler.after(ms, call),
    draw: draw.fork('queues of AWS'),
    happened: (what: string) => covered('rule', `SQS: ${what}`),
  }
  const receivesMax = limits.deliveriesMax
  const all = Object.values(chainUrls).flatMap(({ url, deadUrl }) => [
    { url, dead: { url: deadUrl, receivesMax } },
    { url: deadUrl },
  ])
  return {
    queues: createModelQueues(about, [...all, { url: nudgesUrl }]),
    bucket: createModelBucket(() => beganAtMs + scheduler.nowMs()),
    dynamo: createWatchedDynamo(observer),
    weather: createWeather(draw.fork('tables of AWS'), what =>
      covered('rule', `DynamoDB: ${what}`),
    ),
  }
}

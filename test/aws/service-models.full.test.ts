/**
 * The SQS and S3 models of the simulation, in real time and without anomalies. The adapters must
 * behave over them as over the emulators.
 */
import type { S3Client } from '@aws-sdk/client-s3'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { limits } from '../../shared/config/limits.ts'
import { createBlobSweep } from '../../shared/platform/aws/blobs/blob-sweep.ts'
import { createBucketArchives } from '../../shared/platform/aws/blobs/bucket-archives.ts'
import { createBlobs } from '../../shared/platform/aws/blobs/blobs.ts'
import { createChainQueue } from '../../shared/platform/aws/queues/chain-queue.ts'
import { createNudges } from '../../shared/platform/aws/queues/nudges.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import { defineArchivesContract } from '../contract/archives.ts'
import { defineBlobSweepContract } from '../contract/blob-sweep.ts'
import { defineBlobsContract } from '../contract/blobs.ts'
import { defineChainQueueContract } from '../contract/chain-queue.ts'
import { defineNudgesContract } from '../contract/nudges.ts'
import { createDraw } from '../sim/draw.ts'
import { createModelBucket } from '../sim/model-bucket.ts'
import { createModelQueues } from '../sim/model-queues.ts'

const clock = createSystemClock()
const logger = silentLogger
const close = async (): Promise<void> => undefined
const withoutFilters = { canFilter: false }

function openBlobs() {
  const s3 = createModelBucket(clock.now).client as S3Client
  const location = { s3, bucket: 'b', prefix: 'blobs/' }
  const blobs = createBlobs({ ...location, clock })
  const archives = createBucketArchives({ ...location, clock })
  return { blobs, archives, blobSweep: createBlobSweep(location) }
}

/** Returns a client of queues without anomalies. */
function createSqs(names: readonly string[]): SQSClient {
  const world = {
    nowMs: clock.monotonicMs,
    after: (ms: number, call: () => void) => {
      const timer = setTimeout(call, ms)
      return () => clearTimeout(timer)
    },
    draw: { ...createDraw(1), chance: () => false },
    onEvent: () => undefined,
  }
  const model = createModelQueues(
    world,
    names.flatMap(name => [
      { url: name, deadLetterQueue: { url: `${name}-dead`, receivesMax: limits.deliveriesMax } },
      { url: `${name}-dead` },
    ]),
  )
  const send = (
    command: { readonly input: object },
    { abortSignal: signal }: { readonly abortSignal?: AbortSignal } = {},
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
      model.send(command).then(resolve, reject)
    })
  return { send } as unknown as SQSClient
}

function openChains() {
  const sqs = createSqs(['short', 'long'])
  const queues = {
    short: { url: 'short', deadLetterUrl: 'short-dead' },
    long: { url: 'long', deadLetterUrl: 'long-dead' },
  }
  const { blobs } = openBlobs()
  const createChains = (visibilityMs: number) =>
    createChainQueue({ sqs, queues, blobs, clock, logger, visibilityMs })
  return {
    chains: createChains(1_000),
    longTimeoutChains: createChains(60_000),
    visibilityMs: 1_000,
  }
}

defineBlobsContract('model of S3', async () => ({ ports: openBlobs(), close }))
defineBlobSweepContract('model of S3', async () => ({ ports: openBlobs(), close }))
defineArchivesContract('model of S3', async () => ({ ports: openBlobs(), close }))
defineChainQueueContract(
  'model of SQS',
  async () => ({ ports: openChains(), close }),
  withoutFilters,
)
defineNudgesContract(
  'model of SQS',
  async () => ({
    ports: { nudges: createNudges({ sqs: createSqs(['nudges']), url: 'nudges', clock, logger }) },
    close,
  }),
  withoutFilters,
)

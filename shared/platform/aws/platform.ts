import { bucketPrefixes } from '../../config/aws-places.ts'
import type { Platform } from '../../ports/platform.ts'
import type { LogPort } from '../../ports/system.ts'
import { createSystemClock } from '../system/clock.ts'
import { createSystemRandom } from '../system/random.ts'
import { createBlobSweep } from './blobs/blob-sweep.ts'
import { createBlobs } from './blobs/blobs.ts'
import { type AwsSettings, createS3, createSqs } from './clients.ts'
import { createDynamoClient } from './dynamo/client.ts'
import { createJournalHints } from './dynamo/hints.ts'
import type { AwsPlaces } from './places.ts'
import { type AwsChainQueue, createChainQueue } from './queues/chain-queue.ts'
import { type AwsNudges, createNudges } from './queues/nudges.ts'
import { createRecords } from './records.ts'

/** Every port of records, blobs and queues over AWS, with what event sources hand over. */
export interface AwsPlatform extends Platform {
  readonly chains: AwsChainQueue
  readonly nudges: AwsNudges
  readonly close: () => void
}

/**
 * Makes the ports of an installation: nothing is asked before one of them is. Throws
 * AWS_SETTINGS_INVALID by the name of a variable that is not set.
 */
export function createAwsPlatform(about: {
  readonly settings: AwsSettings
  readonly places: AwsPlaces
  readonly log: LogPort
}): AwsPlatform {
  const { settings, places, log } = about
  const { region, endpoints } = settings
  const clock = createSystemClock()
  const random = createSystemRandom()
  const [sqs, s3] = [createSqs(settings), createS3(settings)]
  const endpoint = endpoints.DYNAMODB
  const client = createDynamoClient({ region, ...(endpoint === undefined ? {} : { endpoint }) })
  const bucket = { s3, bucket: places.of('bucket'), prefix: bucketPrefixes.blobs }
  const blobs = createBlobs({ ...bucket, clock })
  const tables = { journal: places.of('journalTable'), catalog: places.of('catalogTable') }
  const journal = { client, clock, random, region, name: tables.journal }
  const queues = {
    short: { url: places.of('chainsQueue'), deadUrl: places.of('chainsDeadQueue') },
    long: { url: places.of('chainsLongQueue'), deadUrl: places.of('chainsLongDeadQueue') },
  }
  const urls = { short: places.of('nudgesQueue'), long: places.of('nudgesLongQueue') }
  return {
    ...createRecords({ client, clock, random, region, tables }, blobs),
    blobs,
    blobSweep: createBlobSweep(bucket),
    chains: createChainQueue({ sqs, queues, blobs, clock, log }),
    nudges: createNudges({ sqs, url: urls[places.pool], urls, clock, log }),
    hints: createJournalHints({ journal, clock, random, log }),
    clock,
    random,
    journal: log,
    close: () => {
      for (const one of [client, sqs, s3]) one.destroy()
    },
  }
}

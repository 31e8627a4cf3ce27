import type { S3Client } from '@aws-sdk/client-s3'
import type { ApiPorts } from '../../shared/api/define-route.ts'
import { createBucketArchives } from '../../shared/platform/aws/blobs/bucket-archives.ts'
import { createBlobs } from '../../shared/platform/aws/blobs/blobs.ts'
import { createRecords } from '../../shared/platform/aws/records.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import { createSystemRandom } from '../../shared/platform/system/random.ts'
import { noTelemetry } from '../../shared/ports/telemetry.ts'
import type { NotificationsPort } from '../../shared/ports/notifications.ts'
import { recordDelivery } from '../../shared/triggers/notifications/delivery-history.ts'
import type { DeliverySender } from '../../shared/triggers/notifications/delivery-sender.ts'
import { createQueuedSender } from '../../shared/triggers/notifications/queued-sender.ts'
import { createModelBucket } from '../sim/model-bucket.ts'
import { openRecordingDynamo } from './partition-uses.ts'

/** A delivery as the history of a notification stores it, without its id and time. */
export const sentDelivery = {
  ...({ kind: 'ping', body: '{}', durationMs: 1, url: 'https://chat.test/', status: 200 } as const),
  requestHeaders: {},
  responseHeaders: {},
  responseText: '',
}

/** Creates the sender of the API, over a queue whose messages are delivered immediately. */
function createSender(ports: ApiPorts): DeliverySender {
  const send: NotificationsPort['send'] = async ([message]) => {
    if (message === undefined || !('id' in message)) throw new Error('no requested delivery')
    // The sender recognises a new attempt by `sentAt`, which must differ within a millisecond.
    const sent = { ...sentDelivery, id: message.id, sentAt: performance.now() }
    await recordDelivery(ports, message.key, sent)
  }
  return createQueuedSender({ ...ports, notifications: { send } })
}

/** Opens the ports of the API over models. Queues and signed addresses are stubs. */
export async function openModelApi() {
  const clock = createSystemClock()
  const { client, names, uses } = await openRecordingDynamo()
  const s3 = createModelBucket(clock.now).client as S3Client
  const bucket = { s3, bucket: 'b', prefix: 'blobs/', clock }
  const random = createSystemRandom()
  const blobs = createBlobs(bucket)
  const deps = { client, clock, random, region: 'eu-test-1', tables: names }
  const address = async () => ({ url: 'https://bucket.test/', headers: {}, isThere: false })
  // A test writes its records through these ports of its own, so that the caches of the API stay
  // empty.
  const records = createRecords(deps, blobs)
  const notifications = { listDeadLetters: async () => [], redrive: async () => 0 }
  const ports = {
    ...createRecords(deps, blobs),
    blobs,
    archives: createBucketArchives(bucket),
    clock,
    random,
    logger: silentLogger,
    telemetry: noTelemetry,
    chains: {
      listDeadLetters: async (deployment: string) => [{ deployment, operations: [1] }],
      redrive: async () => undefined,
    },
    nudges: { nudge: async () => undefined },
    notifications,
    sealing: { seal: async (text: string) => text },
    scheduler: { place: async () => undefined, remove: async () => undefined },
    plugins: { registerArchive: async () => true, list: async () => ({ plugins: [] }) },
    queueDepths: { read: async () => [] },
    uploads: { createAddress: address, createPluginAddress: address },
    execute: 'functions',
    addresses: {},
    outbound: { call: async () => Promise.reject(new Error('no network')) },
  } as unknown as ApiPorts
  return { ports: { ...ports, sender: createSender(ports) }, records, uses }
}

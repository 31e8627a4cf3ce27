import type { SQSClient } from '@aws-sdk/client-sqs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { awsLimits } from '../../../config/aws-limits.ts'
import type { BlobsPort } from '../../../ports/records.ts'
import type { ChainMessage } from '../../../ports/queue.ts'
import type { ClockPort } from '../../../ports/system.ts'
import { silentLogger } from '../../system/logger.ts'
import { splitIntoBatches, completeBatch } from './sqs-batches.ts'
import { encodeChainMessage, decodeChainMessage } from './chain-message-codec.ts'
import { createChainQueue } from './chain-queue.ts'
import { createVisibilityTimeouts, formatReceipt, parseReceipt } from './delivery-receipts.ts'
import { createNudges } from './nudges.ts'

describe('batches', () => {
  test('keep order and number of the entries, and stay within the limits of SQS', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: awsLimits.messageBytesMax })), sizes => {
        const batches = splitIntoBatches(sizes, size => size)
        expect(batches.flat()).toEqual(sizes)
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(awsLimits.batchEntriesMax)
          const bytes = batch.reduce((sum, size) => sum + size, 0)
          expect(bytes).toBeLessThanOrEqual(awsLimits.messageBytesMax)
        }
      }),
    )
  })

  const sleeps: number[] = []
  const clock = { sleep: async (ms: number) => void sleeps.push(ms) } as unknown as ClockPort
  const entries = ['a', 'b', 'c'].map(Id => ({ Id }))
  const unprocessed = { Id: 'b', SenderFault: false, Code: 'InternalError' }

  test('retry the unprocessed entries, and only those', async () => {
    const requested: string[] = []
    await completeBatch(clock, 'x', entries, async triedEntries => {
      requested.push(triedEntries.map(({ Id }) => Id).join(''))
      return requested.length < 3 ? [unprocessed] : []
    })
    expect(requested).toEqual(['abc', 'b', 'b'])
    expect(sleeps.splice(0)).toEqual([100, 200])
  })

  test('fail as unavailable after some attempts, and immediately for a rejected entry', async () => {
    let tries = 0
    const failingBatch = completeBatch(clock, 'x', entries, async () => {
      tries += 1
      return [unprocessed]
    })
    await expect(failingBatch).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(tries).toBe(awsLimits.batchAttemptsMax)
    const fault = { Id: 'a', SenderFault: true, Code: 'InvalidMessageContents', Message: 'odd' }
    const rejectedBatch = completeBatch(clock, 'x', entries, async () => [fault, unprocessed])
    await expect(rejectedBatch).rejects.toMatchObject({ code: 'INTERNAL_ASSERTION' })
  })
})

describe('the body of a chain message', () => {
  const message = { deployment: 'organization/p/s/1', operations: [1, 2], pool: 'long' } as never
  const bytesByHash = new Map<string, Uint8Array>()
  const blobs: BlobsPort = {
    put: async bytesPut => {
      bytesByHash.set('a'.repeat(64), bytesPut)
      return 'a'.repeat(64) as never
    },
    get: async hash => bytesByHash.get(hash) ?? new Uint8Array(),
  }

  test('survives encoding and decoding, in place and by reference', async () => {
    for (const bytesMax of [1_000, 1]) {
      const body = await encodeChainMessage(message, blobs, bytesMax)
      expect(body.includes('blob')).toBe(bytesMax === 1)
      const read = decodeChainMessage(body, blobs)
      expect(read?.deployment).toBe('organization/p/s/1')
      expect(await read?.readMessage()).toEqual(message)
    }
  })

  test.each([
    '',
    'null',
    '[]',
    '{"v":2,"deployment":"d","operations":[1]}',
    '{"v":1,"deployment":"","operations":[1]}',
    '{"v":1,"deployment":"d","operations":["1"]}',
    '{"v":1,"deployment":"d","operations":[0]}',
    '{"v":1,"deployment":"d","blob":"../x"}',
  ])("is not decoded from '%s'", body => {
    expect(decodeChainMessage(body, blobs)).toBeUndefined()
  })

  test('whose blob contains no message is refused', async () => {
    bytesByHash.set('b'.repeat(64), Buffer.from('{}'))
    const read = decodeChainMessage(`{"v":1,"deployment":"d","blob":"${'b'.repeat(64)}"}`, blobs)
    await expect(read?.readMessage()).rejects.toMatchObject({ code: 'STATE_INVALID' })
  })
})

describe('visibility timeouts', () => {
  test('expire after their time, and an unknown one does not count as expired', () => {
    let nowMs = 0
    const timeouts = createVisibilityTimeouts(() => nowMs)
    timeouts.track('a', 100)
    expect([timeouts.isExpired('a'), timeouts.isExpired('b')]).toEqual([false, false])
    nowMs = 100
    expect(timeouts.isExpired('a')).toBe(true)
    timeouts.track('a', 50)
    expect(timeouts.isExpired('a')).toBe(false)
    nowMs = 700_000
    expect(timeouts.isExpired('a')).toBe(true)
    // This call forgets the timeouts that expired ten minutes ago or earlier.
    timeouts.track('c', 1)
    expect(timeouts.isExpired('a')).toBe(false)
    timeouts.forget('c')
    expect(timeouts.isExpired('c')).toBe(false)
  })
})

describe('receipts', () => {
  test('are formatted and parsed without loss, and other texts are not parsed', () => {
    const receipt = { pool: 'long', source: 'event', handle: 'a/b\n+=' } as const
    expect(parseReceipt(formatReceipt(receipt))).toEqual(receipt)
    for (const text of ['', 'long/event/', 'wide/event/x', 'short/x'])
      expect(parseReceipt(text)).toBeUndefined()
  })
})

describe('messages to the long pool are reported after their send, so that a task starts', () => {
  const clock = { now: () => 0 } as unknown as ClockPort
  const reported: unknown[] = []
  /** The number of sends that are not reported yet. */
  let unreportedSends = 0
  const sqs = {
    send: async (command: object) => {
      if (command.constructor.name.startsWith('SendMessage')) unreportedSends += 1
      return {}
    },
  } as unknown as SQSClient
  const commonDeps = { sqs, clock, logger: silentLogger }
  const raw = { id: 'm', body: '{}', handle: 'h', deliveries: 1, refusals: 1 }
  const report = async (value: unknown): Promise<void> => {
    expect(unreportedSends).toBeGreaterThan(0)
    unreportedSends = 0
    reported.push(value)
  }

  test('of chains', async () => {
    const queueUrls = { url: 'https://sqs/q', deadLetterUrl: 'https://sqs/q-dead' }
    const onLongPoolSend = (count: number): Promise<void> => report(count)
    const queues = { short: queueUrls, long: queueUrls }
    const { send, requeue } = createChainQueue({
      ...commonDeps,
      queues,
      blobs: {} as BlobsPort,
      onLongPoolSend,
    })
    const chain = { deployment: 'organization/p/s/1', operations: [1] } as never as ChainMessage
    await send([chain])
    expect(reported.splice(0)).toEqual([])
    await send([chain, { ...chain, pool: 'long' }, { ...chain, pool: 'long' }])
    expect(reported.splice(0)).toEqual([2])
    await requeue('short', raw)
    expect(reported.splice(0)).toEqual([])
    await requeue('long', raw)
    expect(reported.splice(0)).toEqual([1])
  })

  test('of nudges', async () => {
    const urls = { short: 'https://sqs/n', long: 'https://sqs/n-long' }
    const onLongPoolSend = (): Promise<void> => report('nudge')
    const { nudge } = createNudges({ ...commonDeps, url: urls.short, urls, onLongPoolSend })
    const longNudges = createNudges({ ...commonDeps, url: urls.long, urls, onLongPoolSend })
    await nudge('organization/p/s' as never, 0)
    expect(reported.splice(0)).toEqual([])
    await nudge('organization/p/s' as never, 0, { pool: 'long' })
    expect(reported.splice(0)).toEqual(['nudge'])
    await longNudges.requeue(raw)
    expect(reported.splice(0)).toEqual(['nudge'])
  })
})

test('the message of a nudge keeps the flag `reportsExpiredApprovals`', async () => {
  const bodies: string[] = []
  const sqs = {
    send: async ({ input }: { readonly input: { readonly MessageBody: string } }) =>
      void bodies.push(input.MessageBody),
  } as unknown as SQSClient
  const clock = { now: () => 1_000 } as unknown as ClockPort
  const { nudge, fromEvent } = createNudges({ sqs, clock, logger: silentLogger, url: 'nudges' })
  const stack = 'organization/p/s' as never
  await nudge(stack, 0, { reportsExpiredApprovals: true })
  await nudge(stack, 0)
  expect(await Promise.all(bodies.map(fromEvent))).toEqual([
    { stack, reportsExpiredApprovals: true },
    { stack },
  ])
})

describe('a nudge of the long pool', () => {
  test('returns to the queue of the long pool if it arrives before its time', async () => {
    const sentTo: unknown[] = []
    const sqs = {
      send: async ({ input }: { readonly input: { readonly QueueUrl: string } }) =>
        void sentTo.push(input.QueueUrl),
    } as unknown as SQSClient
    const clock = { now: () => 1_000 } as unknown as ClockPort
    const urls = { short: 'nudges', long: 'nudges-long' }
    const { fromEvent } = createNudges({ sqs, clock, logger: silentLogger, url: urls.long, urls })
    const body = JSON.stringify({ v: 1, stack: 'organization/p/s', dueAt: 5_000 })
    expect(await fromEvent(body)).toBeUndefined()
    expect(sentTo).toEqual([urls.long])
  })
})

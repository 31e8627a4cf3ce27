import { expect, test } from 'vitest'
import { apiLimits } from '../config/api-limits.ts'
import type { MarksPort } from '../ports/documents.ts'
import type { EpochMs } from '../records/ids.ts'
import { createStreamSlots, type ReleaseSlot, type StreamSlots } from './stream-slots.ts'

const { tokenStreamsMax, streamSlotMs, streamBurst } = apiLimits
/** The maximum of streams of the installation, above that of one token. */
const streamsMax = tokenStreamsMax + 10

/** Creates processes that share marks and a time. */
function createInstallation() {
  let nowMs = 0
  const expiries = new Map<string, number>()
  const isMarked = async (key: string): Promise<boolean> => (expiries.get(key) ?? 0) > nowMs
  const marks: MarksPort = {
    isMarked,
    mark: async (key, expiresAt) => {
      if (await isMarked(key)) return false
      expiries.set(key, expiresAt)
      return true
    },
    unmark: async key => void expiries.delete(key),
  }
  const clock = { now: () => nowMs as EpochMs, monotonicMs: () => nowMs }
  let byte = 0
  const random = { bytes: () => Uint8Array.of((byte += 7) % 256) }
  return {
    startProcess: () => createStreamSlots({ marks, clock, random, streamsMax }),
    advance: (ms: number) => void (nowMs += ms),
  }
}

async function takeMany(slots: StreamSlots, token: string, count: number): Promise<ReleaseSlot[]> {
  const releases: ReleaseSlot[] = []
  for (let index = 0; index < count; index += 1) releases.push(await slots.take(token))
  return releases
}

const refusal = (message: string) => ({
  code: 'API_RATE_LIMITED',
  message: expect.stringContaining(message),
  details: { retryAfterSeconds: expect.any(Number) },
})
const tokenRefusal = refusal(`the token has ${tokenStreamsMax} open streams`)

test('a token has a maximum of streams in all processes, and a released one makes room', async () => {
  const { startProcess } = createInstallation()
  const [one, other] = [startProcess(), startProcess()]
  const [release] = await takeMany(one, 'a', tokenStreamsMax / 2)
  await takeMany(other, 'a', tokenStreamsMax / 2)
  await expect(one.take('a')).rejects.toMatchObject(tokenRefusal)
  await expect(other.take('a')).rejects.toMatchObject(tokenRefusal)
  await other.take('b')
  await release?.()
  await other.take('a')
  await expect(one.take('a')).rejects.toMatchObject(tokenRefusal)
})

test('a stream whose process died counts for a limited time only', async () => {
  const { startProcess, advance } = createInstallation()
  await takeMany(startProcess(), 'a', tokenStreamsMax)
  const survivor = startProcess()
  advance(streamSlotMs - 1)
  await expect(survivor.take('a')).rejects.toMatchObject(tokenRefusal)
  advance(1)
  await survivor.take('a')
})

test('a late release frees no slot that another stream has taken', async () => {
  const { startProcess, advance } = createInstallation()
  const [one, other] = [startProcess(), startProcess()]
  const releases = await takeMany(one, 'a', tokenStreamsMax)
  advance(streamSlotMs)
  await takeMany(other, 'a', tokenStreamsMax)
  for (const release of releases) await release()
  await expect(startProcess().take('a')).rejects.toMatchObject(tokenRefusal)
})

test('all tokens together have a maximum in all processes, and a refused one takes no slot', async () => {
  const { startProcess } = createInstallation()
  const [one, other] = [startProcess(), startProcess()]
  const releases: ReleaseSlot[] = []
  for (let index = 0; index < streamsMax; index += 1)
    releases.push(await (index % 2 === 0 ? one : other).take(`token ${index}`))
  for (let index = 0; index < tokenStreamsMax; index += 1)
    await expect(startProcess().take('last')).rejects.toMatchObject(
      refusal(`the installation has ${streamsMax} open streams`),
    )
  await releases[0]?.()
  // A repeated release has no effect.
  await releases[0]?.()
  const release = await other.take('last')
  await expect(one.take('later')).rejects.toMatchObject(refusal('the installation has'))
  await release()
  await one.take('last')
})

test('a token that opens streams too often is refused, although it has closed them', async () => {
  const { startProcess, advance } = createInstallation()
  const slots = startProcess()
  for (let index = 0; index < streamBurst; index += 1) await (await slots.take('a'))()
  await expect(slots.take('a')).rejects.toMatchObject(refusal('too many requests'))
  advance(1_000)
  await slots.take('a')
})

test('a failure of the store is reported', async () => {
  const rejectAsDown = () => Promise.reject(new Error('down'))
  const slots = createStreamSlots({
    marks: { isMarked: rejectAsDown, mark: rejectAsDown, unmark: rejectAsDown },
    clock: { now: () => 0 as EpochMs, monotonicMs: () => 0 },
    random: { bytes: () => Uint8Array.of(0) },
    streamsMax,
  })
  await expect(slots.take('token')).rejects.toThrow('down')
})

import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { z } from 'zod'
import { awsLimits } from '../../../config/aws-limits.ts'
import { limits } from '../../../config/limits.ts'
import { assert } from '../../../errors/error.ts'
import type { NudgesPort, SeenHolder } from '../../../ports/queue.ts'
import type { ClockPort, LogPort } from '../../../ports/system.ts'
import type { StackId } from '../../../records/ids.ts'
import type { Pool } from '../../../records/pool.ts'
import { guarded } from '../failures.ts'
import { nameOfQueue, poll, type RawMessage } from './poll.ts'
import { removeMessage } from './remove-message.ts'
import { sendAgain } from './send-again.ts'

/** What nudges need: one queue; another pool has nudges of its own. */
interface NudgesDeps {
  readonly sqs: SQSClient
  /** The queue of the own pool. */
  readonly url: string
  /** Those of both pools, for nudges that are for another one; else all go to `url`. */
  readonly urls?: Readonly<Record<Pool, string>>
  readonly clock: ClockPort
  readonly log: LogPort
  /** Told that a nudge went to the long pool. */
  readonly sentLong?: () => void
}

/** Nudges, with what an event source of a function hands over. */
export interface AwsNudges extends NudgesPort {
  /** As `receive`, with how the holder stood when the nudge was sent. */
  readonly take: (waitMs: number, signal?: AbortSignal) => Promise<Nudge | undefined>
  /**
   * The stack of a nudge that an event source got; undefined when it is not due yet, and sent again
   * for later, or cannot be read. Either way the event source shall remove it.
   */
  readonly fromEvent: (body: string) => Promise<Nudge | undefined>
  /** See `sendAgain`. */
  readonly sendAgain: (raw: RawMessage) => Promise<void>
}

/** `dueAt`: milliseconds since 1970, of a nudge that is later than SQS can delay it. */
const nudgeForm = z.object({
  v: z.literal(1),
  stack: z.string().min(1),
  dueAt: z.int().positive().optional(),
  seen: z
    .object({
      life: z.string().max(200),
      renewals: z.int(),
      executors: z.record(z.string().max(200), z.int()).optional(),
    })
    .optional(),
})

/** A nudge as whoever gets it sees it. */
export interface Nudge {
  readonly stack: StackId
  readonly seen?: SeenHolder
}

/**
 * Nudges over one SQS standard queue. SQS delays a message by 15 minutes at most: a nudge that is
 * later carries its time, and whoever receives it before sends it again. Each may come twice. A
 * receive removes what it answers; who dies after it is woken by the next dead-man nudge. A receive
 * that names a stack is refused: SQS gives out messages without a choice.
 */
export function createNudges(deps: NudgesDeps): AwsNudges {
  const { sqs, url, urls, clock, log } = deps
  const name = nameOfQueue(url)
  const send: NudgesPort['nudge'] = async (stack, delayMs, about = {}) => {
    const isLate = delayMs > awsLimits.delayMs
    const dueAt = isLate ? { dueAt: Math.ceil(clock.now() + delayMs) } : {}
    const seen = about.seen === undefined ? {} : { seen: about.seen }
    const command = new SendMessageCommand({
      QueueUrl: urls?.[about.pool ?? 'short'] ?? url,
      MessageBody: JSON.stringify({ v: 1, stack, ...dueAt, ...seen }),
      DelaySeconds: Math.ceil(Math.max(0, Math.min(delayMs, awsLimits.delayMs)) / 1000),
    })
    await guarded(`queue ${name}: send`, () => sqs.send(command))
    if (about.pool === 'long') deps.sentLong?.()
  }
  const fromEvent: AwsNudges['fromEvent'] = async body => {
    const nudge = readNudge(body)
    if (nudge === undefined) {
      log.write('error', 'nudge.unreadable', { queue: name })
      return undefined
    }
    const earlyMs = (nudge.dueAt ?? 0) - clock.now()
    const stack = nudge.stack as StackId
    // Its names are those of our own messages.
    const seen = nudge.seen === undefined ? {} : { seen: nudge.seen as SeenHolder }
    if (earlyMs <= 0) return { stack, ...seen }
    await send(stack, earlyMs, seen)
    return undefined
  }
  const take: AwsNudges['take'] = async (waitMs, signal) => {
    const untilMs = clock.monotonicMs() + waitMs
    for (;;) {
      const leftMs = Math.max(0, untilMs - clock.monotonicMs())
      const ask = { max: 1, waitMs: leftMs, visibilityMs: limits.visibilityMs, signal }
      const [message] = (await poll({ sqs, clock }, [{ url }], ask))?.messages ?? []
      if (message === undefined) return undefined
      const found = await fromEvent(message.body)
      await removeMessage(sqs, url, message.handle)
      if (found !== undefined) return found
    }
  }
  return {
    nudge: send,
    take,
    receive: async (waitMs, { stack, signal } = {}) => {
      assert(stack === undefined, 'SQS gives out nudges without a choice: nobody asks for a stack')
      return (await take(waitMs, signal))?.stack
    },
    fromEvent,
    sendAgain: raw => sendAgain(sqs, url, raw),
  }
}

function readNudge(body: string): z.infer<typeof nudgeForm> | undefined {
  try {
    return nudgeForm.safeParse(JSON.parse(body)).data
  } catch {
    return undefined
  }
}

import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { z } from 'zod'
import { awsLimits } from '../../../config/aws-limits.ts'
import { limits } from '../../../config/limits.ts'
import { assert } from '../../../errors/error.ts'
import type { NudgesPort, ObservedHolder } from '../../../ports/queue.ts'
import type { ClockPort, LoggerPort } from '../../../ports/system.ts'
import type { StackId } from '../../../records/ids.ts'
import type { Pool } from '../../../records/pool.ts'
import { withAwsErrors } from '../aws-error.ts'
import { queueNameOf, pollQueues, type RawMessage } from './receive-messages.ts'
import { removeMessage } from './remove-message.ts'
import { requeueMessage } from './requeue-message.ts'

/** What nudges need: one queue; another pool has nudges of its own. */
interface NudgesDeps {
  readonly sqs: SQSClient
  /** The queue of the own pool. */
  readonly url: string
  /** Those of both pools, for nudges that are for another one; else all go to `url`. */
  readonly urls?: Readonly<Record<Pool, string>>
  readonly clock: ClockPort
  readonly logger: LoggerPort
  /** Told that a nudge went to the long pool. */
  readonly onLongPoolSend?: () => void
}

/** Nudges, with what an event source of a function hands over. */
export interface AwsNudges extends NudgesPort {
  /** As `receive`, with how the holder stood when the nudge was sent. */
  readonly receiveNudge: (waitMs: number, signal?: AbortSignal) => Promise<Nudge | undefined>
  /**
   * The stack of a nudge that an event source got; undefined when it is not due yet, and sent again
   * for later, or cannot be read. Either way the event source shall remove it.
   */
  readonly fromEvent: (body: string) => Promise<Nudge | undefined>
  /** See `sendAgain`. */
  readonly requeue: (raw: RawMessage) => Promise<void>
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
  readonly seen?: ObservedHolder
}

/**
 * Nudges over one SQS standard queue. SQS delays a message by 15 minutes at most: a nudge that is
 * later carries its time, and whoever receives it before sends it again. Each may come twice. A
 * receive removes what it answers; who dies after it is woken by the next dead-man nudge. A receive
 * that names a stack is refused: SQS gives out messages without a choice.
 */
export function createNudges(deps: NudgesDeps): AwsNudges {
  const { sqs, url, urls, clock, logger } = deps
  const name = queueNameOf(url)
  const send: NudgesPort['nudge'] = async (stack, delayMs, options = {}) => {
    const isLate = delayMs > awsLimits.delayMs
    const dueAt = isLate ? { dueAt: Math.ceil(clock.now() + delayMs) } : {}
    const seen = options.seen === undefined ? {} : { seen: options.seen }
    const command = new SendMessageCommand({
      QueueUrl: urls?.[options.pool ?? 'short'] ?? url,
      MessageBody: JSON.stringify({ v: 1, stack, ...dueAt, ...seen }),
      DelaySeconds: Math.ceil(Math.max(0, Math.min(delayMs, awsLimits.delayMs)) / 1000),
    })
    await withAwsErrors(`queue ${name}: send`, () => sqs.send(command))
    if (options.pool === 'long') deps.onLongPoolSend?.()
  }
  const fromEvent: AwsNudges['fromEvent'] = async body => {
    const nudge = parseNudge(body)
    if (nudge === undefined) {
      logger.write('error', 'nudge.unreadable', { queue: name })
      return undefined
    }
    const earlyMs = (nudge.dueAt ?? 0) - clock.now()
    const stack = nudge.stack as StackId
    // Its names are those of our own messages.
    const seen = nudge.seen === undefined ? {} : { seen: nudge.seen as ObservedHolder }
    if (earlyMs <= 0) return { stack, ...seen }
    await send(stack, earlyMs, seen)
    return undefined
  }
  const receiveNudge: AwsNudges['receiveNudge'] = async (waitMs, signal) => {
    const untilMs = clock.monotonicMs() + waitMs
    for (;;) {
      const leftMs = Math.max(0, untilMs - clock.monotonicMs())
      const request = { max: 1, waitMs: leftMs, visibilityMs: limits.visibilityMs, signal }
      const [message] = (await pollQueues({ sqs, clock }, [{ url }], request))?.messages ?? []
      if (message === undefined) return undefined
      const found = await fromEvent(message.body)
      await removeMessage(sqs, url, message.handle)
      if (found !== undefined) return found
    }
  }
  return {
    nudge: send,
    receiveNudge,
    receive: async (waitMs, { stack, signal } = {}) => {
      assert(stack === undefined, 'SQS gives out nudges without a choice: nobody asks for a stack')
      return (await receiveNudge(waitMs, signal))?.stack
    },
    fromEvent,
    requeue: raw => requeueMessage(sqs, url, raw),
  }
}

function parseNudge(body: string): z.infer<typeof nudgeForm> | undefined {
  try {
    return nudgeForm.safeParse(JSON.parse(body)).data
  } catch {
    return undefined
  }
}

import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import * as z from 'zod'
import { awsLimits } from '../../../config/aws-limits.ts'
import { limits } from '../../../config/limits.ts'
import { assert } from '../../../errors/error.ts'
import type { NudgesPort, ObservedHolder } from '../../../ports/queue.ts'
import type { ClockPort, LoggerPort } from '../../../ports/system.ts'
import type { StackId } from '../../../records/ids.ts'
import type { Pool } from '../../../records/pool.ts'
import { parseJson } from '../../../values/parse-json.ts'
import { withAwsErrors } from '../aws-error.ts'
import { queueNameOf, pollQueues, type RawMessage } from './receive-messages.ts'
import { removeMessage } from './remove-message.ts'
import { requeueMessage } from './requeue-message.ts'
import { parseForm } from '../../../values/parse-form.ts'

/** Dependencies of nudges. Each pool has its own queue of nudges. */
interface NudgesDeps {
  readonly sqs: SQSClient
  /** The queue of this process's pool. */
  readonly url: string
  /**
   * The queues of both pools, for nudges to the other pool. Absent: all nudges are sent to `url`.
   */
  readonly urls?: Readonly<Record<Pool, string>>
  readonly clock: ClockPort
  readonly logger: LoggerPort
  /** Called when a nudge was sent to the long pool. Never rejects. */
  readonly onLongPoolSend?: () => Promise<void>
}

/** Nudges, with the conversions for a function's event source. */
export interface AwsNudges extends NudgesPort {
  /** Receives a nudge of any stack. Also returns its SQS message, which the call has removed. */
  readonly receiveNudge: (
    waitMs: number,
    signal?: AbortSignal,
  ) => Promise<{ readonly nudge: Nudge; readonly message: RawMessage } | undefined>
  /**
   * Converts the body of an event source's message. A nudge that is not due is sent again to the
   * queue of this process. Returns undefined for such a nudge and for an unreadable body. The event
   * source must remove the message in either case.
   */
  readonly fromEvent: (body: string) => Promise<Nudge | undefined>
  /**
   * Sends the message again for another receiver, and removes the received one. `delayMs`: the time
   * before its delivery, default 0. See `requeueMessage`.
   */
  readonly requeue: (raw: RawMessage, delayMs?: number) => Promise<void>
  /**
   * Removes a message of an event source. A function does this before it fails, because the event
   * source would otherwise deliver the message again.
   */
  readonly remove: (raw: RawMessage) => Promise<void>
}

/**
 * The message format. `dueAt`: the due time in milliseconds since 1970, if the delay exceeds the
 * longest delay of SQS. `expired`: the receiver reports expired approvals. `seen`: the observed
 * holder, with the fields of `ObservedHolder`. `life` identifies its process, and `renewals` is the
 * counter of its lease. `executors` has the lease counters of executors.
 */
const nudgeForm = z.object({
  v: z.literal(1),
  stack: z.string().min(1),
  dueAt: z.int().positive().optional(),
  expired: z.literal(true).optional(),
  seen: z
    .object({
      life: z.string().max(200),
      renewals: z.int(),
      executors: z.record(z.string().max(200), z.int()).optional(),
    })
    .optional(),
})

/** A nudge as received. */
export interface Nudge {
  readonly stack: StackId
  readonly observedHolder?: ObservedHolder
  readonly reportsExpiredApprovals?: boolean
}

/**
 * Creates the nudges over one SQS standard queue per pool. SQS delays a message by at most 15
 * minutes. The message of a nudge with a longer delay contains the due time. A receiver that gets
 * such a message early sends it again. A nudge may be delivered twice. A receive removes the nudge
 * that it returns. A receiver that fails sends the nudge again. If the receiver crashes, the next
 * watchdog nudge replaces the removed one. A receive for one stack is refused, because SQS cannot
 * select messages.
 */
export function createNudges(deps: NudgesDeps): AwsNudges {
  const { sqs, url, urls, clock, logger } = deps
  const queueName = queueNameOf(url)
  const sendTo = async (
    queueUrl: string,
    { stack, observedHolder, reportsExpiredApprovals }: Nudge,
    delayMs: number,
  ): Promise<void> => {
    const exceedsDelayLimit = delayMs > awsLimits.messageDelayMaxMs
    const dueAtField = exceedsDelayLimit ? { dueAt: Math.ceil(clock.now() + delayMs) } : {}
    const seenField = observedHolder === undefined ? {} : { seen: observedHolder }
    const expiredField = reportsExpiredApprovals === true ? { expired: true } : {}
    const command = new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: JSON.stringify({ v: 1, stack, ...dueAtField, ...seenField, ...expiredField }),
      DelaySeconds: Math.ceil(Math.max(0, Math.min(delayMs, awsLimits.messageDelayMaxMs)) / 1000),
    })
    await withAwsErrors(`queue ${queueNameOf(queueUrl)}: send`, () => sqs.send(command))
    if (queueUrl === urls?.long) await deps.onLongPoolSend?.()
  }
  const fromEvent: AwsNudges['fromEvent'] = async body => {
    const nudge = parseForm(nudgeForm, parseJson(body)).data
    if (nudge === undefined) {
      logger.write('error', 'nudge.unreadable', { queue: queueName })
      return undefined
    }
    const earlyMs = (nudge.dueAt ?? 0) - clock.now()
    const stack = nudge.stack as StackId
    // Only this project writes the messages, so the keys of `executors` are executor ids.
    const observedHolderField =
      nudge.seen === undefined ? {} : { observedHolder: nudge.seen as ObservedHolder }
    const expiredField = nudge.expired === true ? { reportsExpiredApprovals: true } : {}
    const received: Nudge = { stack, ...observedHolderField, ...expiredField }
    if (earlyMs <= 0) return received
    await sendTo(url, received, earlyMs)
    return undefined
  }
  const receiveNudge: AwsNudges['receiveNudge'] = async (waitMs, signal) => {
    const deadlineMs = clock.monotonicMs() + waitMs
    for (;;) {
      const remainingMs = Math.max(0, deadlineMs - clock.monotonicMs())
      const request = {
        messagesMax: 1,
        waitMs: remainingMs,
        visibilityMs: limits.visibilityMs,
        signal,
      }
      const [message] = (await pollQueues({ sqs, clock }, [{ url }], request))?.messages ?? []
      if (message === undefined) return undefined
      const nudge = await fromEvent(message.body)
      await removeMessage(sqs, url, message.handle)
      if (nudge !== undefined) return { nudge, message }
    }
  }
  return {
    nudge: (stack, delayMs, { pool = 'short', ...options } = {}) =>
      sendTo(urls?.[pool] ?? url, { stack, ...options }, delayMs),
    receiveNudge,
    receive: async (waitMs, { stack, signal } = {}) => {
      assert(stack === undefined, 'SQS cannot select messages: a receive must not name a stack')
      return (await receiveNudge(waitMs, signal))?.nudge.stack
    },
    fromEvent,
    requeue: async (raw, delayMs = 0) => {
      await requeueMessage(sqs, url, { ...raw, delayMs })
      if (url === urls?.long) await deps.onLongPoolSend?.()
    },
    remove: ({ handle }) => removeMessage(sqs, url, handle),
  }
}

import { z } from 'zod'
import type { RawMessage } from '../../shared/platform/aws/queues/receive-messages.ts'

/** What Lambda hands a function of an SQS queue, as far as it is read. */
const sqsEventForm = z.object({
  Records: z
    .array(
      z.object({
        messageId: z.string(),
        receiptHandle: z.string(),
        body: z.string(),
        attributes: z.object({ ApproximateReceiveCount: z.coerce.number().int().min(1) }),
      }),
    )
    .max(10_000),
})

/** What Lambda tells a handler of its call. */
export interface CallContext {
  readonly getRemainingTimeInMillis: () => number
}

/** Messages that are to come again; the others are removed by Lambda. */
export interface BatchAnswer {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[]
}

/** The messages of an event. Throws what zod throws: only the queue calls such a function. */
export function readSqsMessages(event: unknown): readonly RawMessage[] {
  return sqsEventForm.parse(event).Records.map(record => ({
    id: record.messageId,
    handle: record.receiptHandle,
    body: record.body,
    deliveries: record.attributes.ApproximateReceiveCount,
  }))
}

/** The answer by which messages come again. */
export function createBatchAnswer(ids: Iterable<string>): BatchAnswer {
  return { batchItemFailures: [...new Set(ids)].map(id => ({ itemIdentifier: id })) }
}

/** What is left of a call, less what it takes to answer, in ms. */
export function callLimitOf(context: CallContext): number {
  return Math.max(1_000, context.getRemainingTimeInMillis() - answerMs)
}

/** From the end of the work to the answer: flushing events, ending plugins. */
const answerMs = 5_000

import * as z from 'zod'
import {
  deliveriesAttribute,
  parseCounter,
  parseSentTime,
  type RawMessage,
  refusalsAttribute,
} from '../../shared/platform/aws/queues/receive-messages.ts'

const attributeForm = z.object({ stringValue: z.string().optional() })

/** The event that Lambda passes for an SQS queue, reduced to the fields in use. */
const sqsEventForm = z.object({
  Records: z
    .array(
      z.object({
        messageId: z.string(),
        receiptHandle: z.string(),
        body: z.string(),
        attributes: z.object({
          ApproximateReceiveCount: z.coerce.number().int().min(1),
          SentTimestamp: z.string().optional(),
        }),
        messageAttributes: z
          .object({ [refusalsAttribute]: attributeForm, [deliveriesAttribute]: attributeForm })
          .partial()
          .default({}),
      }),
    )
    .max(10_000),
})

/** The context that Lambda passes with a call. */
export interface CallContext {
  readonly getRemainingTimeInMillis: () => number
}

/** The response to a call: the messages to redeliver. Lambda removes the other messages. */
export interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[]
}

/**
 * Returns the messages of an event. Throws zod's errors unchanged, because only the platform
 * creates events.
 */
export function readSqsMessages(event: unknown): readonly RawMessage[] {
  return sqsEventForm.parse(event).Records.map(record => ({
    id: record.messageId,
    handle: record.receiptHandle,
    body: record.body,
    deliveries:
      record.attributes.ApproximateReceiveCount +
      parseCounter(record.messageAttributes[deliveriesAttribute]?.stringValue),
    refusals: parseCounter(record.messageAttributes[refusalsAttribute]?.stringValue),
    ...parseSentTime(record.attributes.SentTimestamp),
  }))
}

/** Returns the response that makes Lambda redeliver messages. */
export function createBatchResponse(ids: Iterable<string>): BatchResponse {
  return { batchItemFailures: [...new Set(ids)].map(id => ({ itemIdentifier: id })) }
}

/**
 * Returns the time limit of a call in ms: its remaining time minus `responseMs`, at least 1 s.
 */
export function callLimitMsOf(context: CallContext): number {
  return Math.max(1_000, context.getRemainingTimeInMillis() - responseMs)
}

/** Time reserved at the end of a call, in ms: to store events, end plugins and respond. */
const responseMs = 5_000

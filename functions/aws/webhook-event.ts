import * as z from 'zod'
import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import { defaultGroup } from '../../shared/config/stack-groups.ts'
import { createError } from '../../shared/errors/error.ts'
import type { WebhookRequest } from '../../shared/triggers/webhooks/webhook-form.ts'

/**
 * The event that Lambda passes for a request to a function URL or an HTTP API, reduced to the
 * fields in use.
 */
const httpEventForm = z.object({
  rawPath: z.string().max(2048),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().default(''),
  isBase64Encoded: z.boolean().default(false),
  requestContext: z.object({ http: z.object({ method: z.string() }) }),
})

/** The template of the path of deliveries. */
export const webhookRoute = '/hooks/:name'

/** Returns the method of an event's request. Throws zod's errors unchanged. */
export function readMethod(event: unknown): string {
  return httpEventForm.parse(event).requestContext.http.method
}

/** The response to Lambda's HTTP integrations. */
export interface HttpResponse {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A received delivery, with the name of its webhook and its group of stacks. */
export interface HttpDelivery {
  readonly group: string
  readonly name: string
  readonly request: WebhookRequest
}

/**
 * Returns the delivery of an event. The last part of the path names the webhook. This part begins
 * with the group and `~`, unless the group is the default one. Returns undefined for a request with
 * another path or method. Throws WEBHOOK_TOO_LARGE before it decodes a body that is too large.
 * Throws zod's errors unchanged, because only the platform creates events.
 */
export function parseDelivery(event: unknown): HttpDelivery | undefined {
  const { rawPath, headers, body, isBase64Encoded, requestContext } = httpEventForm.parse(event)
  const [, group, name] =
    /^\/hooks\/(?:([a-z][a-z0-9-]{0,99})~)?([A-Za-z0-9][\w.-]{0,99})$/.exec(rawPath) ?? []
  if (name === undefined || requestContext.http.method !== 'POST') return undefined
  // At most two characters of base64 are padding.
  const minimumBytes = isBase64Encoded ? Math.floor((body.length * 3) / 4) - 2 : body.length
  if (minimumBytes > triggerLimits.webhookBytesMax)
    throw createError('WEBHOOK_TOO_LARGE', `the delivery has at least ${minimumBytes} bytes`)
  const lowerCaseHeaders = Object.entries(headers).map(
    ([key, value]) => [key.toLowerCase(), value] as const,
  )
  return {
    name,
    group: group ?? defaultGroup,
    request: {
      headers: new Map(lowerCaseHeaders),
      body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
    },
  }
}

/** Returns a response in Lambda's format. */
export function toHttpResponse({
  status,
  body,
  retryAfterSeconds,
}: {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number
}): HttpResponse {
  return {
    statusCode: status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
    body: JSON.stringify(body),
  }
}

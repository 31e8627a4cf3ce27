import type { Context, Hono } from 'hono'
import { readRequestBody } from '../shared/api/read-body.ts'
import { createRateLimiter } from '../shared/api/rate-limit.ts'
import {
  answerWebhook,
  type WebhookResponse,
  type WebhookServer,
} from '../functions/webhook/answer-webhook.ts'
import { apiLimits } from '../shared/config/api-limits.ts'
import { triggerLimits } from '../shared/config/trigger-limits.ts'
import { catalogue } from '../shared/errors/catalogue.ts'
import { hasCode, messageOf } from '../shared/errors/error.ts'
import type { ClockPort } from '../shared/ports/system.ts'

/** The dependencies of serving webhooks. */
export interface WebhookRouteOptions {
  readonly server: WebhookServer
  readonly clock: Pick<ClockPort, 'monotonicMs'>
  /** Returns the client address of a request. */
  readonly addressOf: (context: Context) => string
}

/**
 * Adds the route of webhooks, `POST /hooks/<name>`, to an app. The responses are those of
 * `answerWebhook`, as on AWS. AWS has other responses only for too large and too frequent
 * deliveries.
 */
export function addWebhookRoute(
  app: Hono,
  { server, clock, addressOf }: WebhookRouteOptions,
): void {
  const { addressBurst: burst, addressPerSecond: perSecond } = apiLimits
  const limiter = createRateLimiter(clock, { burst, perSecond })
  app.post('/hooks/:name{[A-Za-z0-9][\\w.-]{0,99}}', async context => {
    try {
      limiter.countRequest(addressOf(context))
      const body = await readRequestBody(context.req.raw, triggerLimits.webhookBytesMax)
      const headers = new Map(Object.entries(context.req.header()))
      return toFetchResponse(
        await answerWebhook(server, context.req.param('name'), { headers, body }),
      )
    } catch (thrown) {
      return toFetchResponse(webhookRefusalOf(thrown))
    }
  })
}

function toFetchResponse({ status, body, retryAfterSeconds }: WebhookResponse): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
  })
}

/** Returns the response to a too large or too frequent delivery. Throws any other error again. */
function webhookRefusalOf(thrown: unknown): WebhookResponse {
  const message = messageOf(thrown)
  const refuseWith = (status: number, code: keyof typeof catalogue): WebhookResponse => ({
    status,
    body: { code, message, hint: catalogue[code].hint },
  })
  if (hasCode(thrown, 'API_BODY_TOO_LARGE')) return refuseWith(413, 'WEBHOOK_TOO_LARGE')
  if (hasCode(thrown, 'API_RATE_LIMITED'))
    return { ...refuseWith(429, 'API_RATE_LIMITED'), retryAfterSeconds: 1 }
  throw thrown
}

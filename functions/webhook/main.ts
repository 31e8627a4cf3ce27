import { flushAfter } from '../aws/observe-call.ts'
import { openWebhookTriggers } from '../aws/open-triggers.ts'
import { readMethod, type HttpResponse, webhookRoute } from '../aws/webhook-event.ts'
import { observeRequest } from '../../shared/runtime/telemetry/observe-request.ts'
import { serveWebhook } from './serve-webhook.ts'

const server = openWebhookTriggers(process.env)

/** The Lambda handler of the webhook function, for requests of an HTTP API or a function URL. */
export const handler = (event: unknown): Promise<HttpResponse> =>
  flushAfter(server.telemetry, () =>
    observeRequest(server.telemetry, readMethod(event), async () => {
      const result = await serveWebhook(server, event)
      return { result, answered: { route: webhookRoute, status: result.statusCode } }
    }),
  )

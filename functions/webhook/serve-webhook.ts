import { DeployError } from '../../shared/errors/error.ts'
import { answerWebhook, type WebhookServer } from './answer-webhook.ts'
import { parseDelivery, type HttpResponse, toHttpResponse } from '../aws/webhook-event.ts'

/** Answers one HTTP request, which Lambda passes as `event`. */
export async function serveWebhook(server: WebhookServer, event: unknown): Promise<HttpResponse> {
  try {
    const delivery = parseDelivery(event)
    if (delivery === undefined) return toHttpResponse({ status: 404, body: unknownPathBody })
    return toHttpResponse(await answerWebhook(server, delivery.name, delivery.request))
  } catch (thrown) {
    if (!(thrown instanceof DeployError)) throw thrown
    // `parseDelivery` throws only WEBHOOK_TOO_LARGE, and `answerWebhook` never throws.
    const { code, message, hint } = thrown
    return toHttpResponse({ status: 413, body: { code, message, hint } })
  }
}

const unknownPathBody = {
  code: 'WEBHOOK_UNKNOWN',
  message: 'webhook deliveries must be sent by POST to /hooks/<name>',
  hint: 'List the webhooks, and correct the address at the sender.',
}

import { DeployError } from '../../shared/errors/error.ts'
import { answerWebhook, type WebhookServer } from './answer-webhook.ts'
import { parseDelivery, type HttpAnswer, toHttpAnswer } from '../aws/http-event.ts'

/** Answers one request over HTTP that Lambda hands over. */
export async function serveWebhook(server: WebhookServer, event: unknown): Promise<HttpAnswer> {
  try {
    const delivery = parseDelivery(event)
    if (delivery === undefined) return toHttpAnswer({ status: 404, body: notHere })
    return toHttpAnswer(await answerWebhook(server, delivery.name, delivery.request))
  } catch (thrown) {
    if (!(thrown instanceof DeployError)) throw thrown
    const { code, message, hint } = thrown
    return toHttpAnswer({ status: 413, body: { code, message, hint } })
  }
}

const notHere = {
  code: 'WEBHOOK_UNKNOWN',
  message: 'webhooks are sent to /hooks/<name> by POST',
  hint: 'List webhooks, and correct the address at the sender.',
}

import { openWebhookTriggers } from '../aws/open-triggers.ts'
import type { HttpAnswer } from '../aws/http-event.ts'
import { serveWebhook } from './serve-webhook.ts'

const server = openWebhookTriggers(process.env)

/** The Lambda handler of the webhook function, for requests of an HTTP API or a function URL. */
export const handler = (event: unknown): Promise<HttpAnswer> => serveWebhook(server, event)

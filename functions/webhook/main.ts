import { openWebhookTriggers } from '../aws/open-triggers.ts'
import type { HttpResponse } from '../aws/webhook-event.ts'
import { withCachedOpening } from '../../shared/triggers/webhooks/cached-opening.ts'
import { serveWebhook } from './serve-webhook.ts'

const triggers = openWebhookTriggers(process.env)
const server = { ...triggers, sealing: withCachedOpening(triggers.sealing, triggers.clock) }

/** The Lambda handler of the webhook function, for requests of an HTTP API or a function URL. */
export const handler = (event: unknown): Promise<HttpResponse> => serveWebhook(server, event)

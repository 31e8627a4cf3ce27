import { openWebhooks } from '../surroundings/aws-triggers.ts'
import type { HttpAnswer } from './http-event.ts'
import { serveWebhook } from './serve-webhook.ts'

const aws = openWebhooks(process.env)

/** Webhooks as Lambda calls it: with requests of an HTTP API or a function URL. */
export const handler = (event: unknown): Promise<HttpAnswer> => serveWebhook(aws, event)

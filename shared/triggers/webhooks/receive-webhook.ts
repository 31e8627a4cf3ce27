import { triggerLimits } from '../../config/trigger-limits.ts'
import { error } from '../../errors/error.ts'
import { type TriggerPorts, sealingContextOf } from '../../ports/documents.ts'
import type { ClockPort } from '../../ports/system.ts'
import { runOnce } from '../run-once.ts'
import { toPrintable } from '../printable.ts'
import type { ChangeEvent } from './repository-event.ts'
import { type Trigger, triggersOf } from './rules.ts'
import {
  type WebhookDocument,
  parseDocument,
  webhookDocument,
  webhookKeyOf,
} from './webhook-document.ts'
import { type WebhookRequest, webhookForms } from './webhook-forms.ts'

/** What became of a delivery. */
export type Reception =
  | { readonly kind: 'pong' }
  | { readonly kind: 'ignored'; readonly why: string }
  /** The delivery came before; it asked for its deployments then. */
  | { readonly kind: 'repeated' }
  /** The same delivery is being received: ask again in a minute. */
  | { readonly kind: 'underway' }
  | { readonly kind: 'accepted'; readonly triggers: readonly Trigger[] }

/** A delivery, for what is made of it. */
export interface WebhookDelivery {
  /** The webhook that has the credential for the program and its answer. */
  readonly webhook: string
  /** Names the delivery, also when it is repeated. */
  readonly delivery: string
}

/** What a delivery is received with. */
export interface ReceiveDeps extends TriggerPorts {
  readonly clock: Pick<ClockPort, 'now'>
  /** Asks for what a delivery asks for: nobody knows of it until this has ended. */
  readonly send: (triggers: readonly Trigger[], delivery: WebhookDelivery) => Promise<void>
}

/**
 * Receives a delivery of the webhook `name`: checks its signature, and asks once for what its rules
 * say. Throws WEBHOOK_TOO_LARGE, WEBHOOK_UNKNOWN, WEBHOOK_REFUSED, WEBHOOK_STALE,
 * WEBHOOK_MALFORMED, DOCUMENT_INVALID, SEALED_UNREADABLE, and what `send` throws: then nothing is
 * marked, and the sender may repeat it.
 */
export async function receiveWebhook(
  deps: ReceiveDeps,
  name: string,
  request: WebhookRequest,
): Promise<Reception> {
  if (request.body.length > triggerLimits.webhookBytesMax)
    throw error('WEBHOOK_TOO_LARGE', `the delivery has ${request.body.length} bytes`)
  const document = await readWebhook(deps, name)
  const form = webhookForms[document.form]
  const place = sealingContextOf(webhookKeyOf(name))
  const secrets = await Promise.all(document.secrets.map(one => deps.sealing.open(one, place)))
  form.verify(request, { secrets, now: deps.clock.now() })
  const event = form.read(request)
  if (event.kind === 'ping') return { kind: 'pong' }
  if (event.kind === 'ignored') return event
  refuseOld(event, deps.clock)
  if (document.isPaused) return { kind: 'ignored', why: 'the webhook is paused' }
  const triggers = triggersOf(document.rules, event)
  if (triggers.length === 0) return { kind: 'ignored', why: 'no rule is about this change' }
  const identities = form.identitiesOf(request)
  const names = identities.map(one => `webhook ${name} ${one}`)
  const delivery = { webhook: name, delivery: identities[0] ?? '' }
  const sent = await runOnce(deps, { names, keptMs: triggerLimits.deliveryKeptMs }, () =>
    deps.send(triggers, delivery),
  )
  return sent.kind === 'done' ? { kind: 'accepted', triggers } : sent
}

async function readWebhook({ documents }: ReceiveDeps, name: string): Promise<WebhookDocument> {
  const stored = await documents.get(webhookKeyOf(name))
  if (stored === undefined)
    throw error('WEBHOOK_UNKNOWN', `there is no webhook ${toPrintable(name, 100)}`)
  return parseDocument(webhookDocument, stored)
}

/** A signature without a time stays right for ever: the mark of a delivery does not. */
function refuseOld({ at }: ChangeEvent, clock: Pick<ClockPort, 'now'>): void {
  if (at === undefined || clock.now() - at <= triggerLimits.deliveryKeptMs) return
  throw error('WEBHOOK_STALE', `the delivery is about a change of ${new Date(at).toISOString()}`, {
    hint: 'Push again; a delivery can be repeated for seven days.',
  })
}

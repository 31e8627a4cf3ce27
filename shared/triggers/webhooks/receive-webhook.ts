import { triggerLimits } from '../../config/trigger-limits.ts'
import { createError } from '../../errors/error.ts'
import { type TriggerPorts, sealingContextOf } from '../../ports/documents.ts'
import type { ClockPort } from '../../ports/system.ts'
import { runOnce } from '../run-once.ts'
import type { ChangeEvent } from './repository-event.ts'
import { type Rule, type RuleMatch, findRuleMatches } from './rules.ts'
import { parseDocumentValue } from '../parse-document-value.ts'
import { type WebhookDocument, webhookDocument, webhookKeyOf } from './webhook-document.ts'
import { refuseUnknownWebhook, type WebhookRequest } from './webhook-form.ts'
import { webhookForms } from './webhook-forms.ts'

/**
 * The result of a delivery. `pong`: the delivery was a ping. `ignored`: no deployment is requested,
 * for the reason `why`. `accepted`: the deployments of the rule matches were requested.
 */
export type WebhookReception =
  | { readonly kind: 'pong' }
  | { readonly kind: 'ignored'; readonly why: string }
  /** The delivery was received before, and its deployments were requested at that time. */
  | { readonly kind: 'repeated' }
  /** The same delivery is being processed; the sender should retry in a minute. */
  | { readonly kind: 'underway' }
  | { readonly kind: 'accepted'; readonly ruleMatches: readonly RuleMatch[] }

/** The delivery that a request comes from. */
export interface WebhookDelivery {
  /** The name of the webhook. Its credential fetches the program and reports commit statuses. */
  readonly webhook: string
  /** The id of the delivery, which a repetition keeps. */
  readonly delivery: string
}

/** Dependencies of receiving deliveries. */
export interface ReceiveDeps extends TriggerPorts {
  readonly clock: Pick<ClockPort, 'now'>
  /** Sends the requests of a delivery. The requests are durable when the promise has resolved. */
  readonly send: (ruleMatches: readonly RuleMatch[], delivery: WebhookDelivery) => Promise<void>
}

/**
 * Receives a delivery of the webhook `name`: verifies its signature, and sends the requests of its
 * rules once. Throws WEBHOOK_TOO_LARGE, WEBHOOK_REFUSED, WEBHOOK_STALE, WEBHOOK_MALFORMED,
 * DOCUMENT_INVALID, SEALED_UNREADABLE, and the errors of `send`. When `send` fails, the delivery is
 * not marked as completed, so the sender may repeat it.
 */
export async function receiveWebhook(
  deps: ReceiveDeps,
  name: string,
  request: WebhookRequest,
): Promise<WebhookReception> {
  if (request.body.length > triggerLimits.webhookBytesMax)
    throw createError(
      'WEBHOOK_TOO_LARGE',
      `the delivery is too large: ${request.body.length} bytes`,
    )
  const document = await readWebhook(deps, name, request)
  const form = webhookForms[document.form]
  form.requireSignature(request)
  const sealingContext = sealingContextOf(webhookKeyOf(name))
  const secrets = await Promise.all(
    document.secrets.map(sealedSecret => deps.sealing.open(sealedSecret, sealingContext)),
  )
  form.verify(request, { secrets, now: deps.clock.now() })
  const event = form.read(request)
  if (event.kind === 'ping') return { kind: 'pong' }
  if (event.kind === 'ignored') return event
  const changes = event.kind === 'several' ? event.changes : [event]
  for (const change of changes) refuseOldChange(change, deps.clock)
  if (document.isPaused) return { kind: 'ignored', why: 'the webhook is paused' }
  const ruleMatches = findAllRuleMatches(document.rules, changes)
  if (ruleMatches.length === 0) return { kind: 'ignored', why: 'no rule matches this change' }
  const identities = form.identitiesOf(request)
  const taskIds = identities.map(identity => `webhook ${name} ${identity}`)
  const delivery = { webhook: name, delivery: identities[0] ?? '' }
  const onceResult = await runOnce(
    deps,
    { taskIds, retentionMs: triggerLimits.deliveryRetentionMs },
    () => deps.send(ruleMatches, delivery),
  )
  return onceResult.kind === 'done' ? { kind: 'accepted', ruleMatches } : onceResult
}

/**
 * Returns the rule matches of all changes of a delivery. Two changes may request the same stack, so
 * the matches of all changes after the first one have the position of their change.
 */
function findAllRuleMatches(
  rules: readonly Rule[],
  changes: readonly ChangeEvent[],
): readonly RuleMatch[] {
  return changes.flatMap((change, position) =>
    findRuleMatches(rules, change).map(ruleMatch =>
      position === 0 ? ruleMatch : { ...ruleMatch, position },
    ),
  )
}

/** Returns the document of a webhook. Refuses an unknown name like a wrong signature. */
async function readWebhook(
  { documents }: ReceiveDeps,
  name: string,
  request: WebhookRequest,
): Promise<WebhookDocument> {
  const stored = await documents.get(webhookKeyOf(name))
  if (stored === undefined) return refuseUnknownWebhook(request)
  return parseDocumentValue(webhookDocument, stored)
}

/**
 * Throws WEBHOOK_STALE for an old change. A signature without a time stays valid, so an old
 * delivery could be replayed after its mark has expired.
 */
function refuseOldChange({ changedAt }: ChangeEvent, clock: Pick<ClockPort, 'now'>): void {
  if (changedAt === undefined || clock.now() - changedAt <= triggerLimits.deliveryRetentionMs)
    return
  throw createError(
    'WEBHOOK_STALE',
    `the delivery is too old: its change was made at ${new Date(changedAt).toISOString()}`,
    {
      hint: 'Push again: a delivery can be repeated for seven days only.',
    },
  )
}

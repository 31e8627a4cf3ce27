import { z } from 'zod'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { error } from '../../errors/error.ts'
import {
  type DocumentKey,
  type SealingPort,
  type StoredDocument,
  sealingContextOf,
} from '../../ports/documents.ts'
import { formFaultOf } from '../form-fault.ts'
import { toPrintable } from '../printable.ts'
import { ruleForm } from './rules.ts'
import { type WebhookFormName, webhookForms } from './webhook-forms.ts'

const forms = Object.keys(webhookForms) as [WebhookFormName, ...WebhookFormName[]]

/** What a shared secret must be: shorter ones can be found by trying. */
const secretForm = z.string().min(16).max(1000)

/** A webhook as it is stored. What is sealed is bound to the document's key. */
export const webhookDocument = z.strictObject({
  form: z.enum(forms),
  /** Sealed; the second is the one before, while senders change to the first. */
  secrets: z.array(z.string()).min(1).max(2),
  /** Sealed: reads the repository's archive and answers pull requests. */
  credential: z.string().optional(),
  /** Where the API of the repository's host is. */
  apiUrl: z.url({ protocol: /^https?$/ }).default('https://api.github.com'),
  isPaused: z.boolean().default(false),
  rules: z.array(ruleForm).max(triggerLimits.rulesMax),
})

/** A webhook as data. */
export type WebhookDocument = z.infer<typeof webhookDocument>

/** A webhook as somebody makes it: with its secrets in clear. */
export const webhookDraft = webhookDocument
  .omit({ secrets: true, credential: true })
  .extend({ secrets: z.array(secretForm).min(1).max(2), credential: z.string().min(1).optional() })

/**
 * What is stored of a draft of the webhook `name`: its secrets sealed for this document. Throws
 * STORE_UNAVAILABLE when there can be no key.
 */
export async function sealWebhook(
  sealing: SealingPort,
  name: string,
  { secrets, credential, ...open }: z.infer<typeof webhookDraft>,
): Promise<WebhookDocument> {
  const seal = (text: string): Promise<string> =>
    sealing.seal(text, sealingContextOf(webhookKeyOf(name)))
  const sealed = { ...open, secrets: await Promise.all(secrets.map(seal)) }
  return credential === undefined ? sealed : { ...sealed, credential: await seal(credential) }
}

/** The key of the webhook of a name: rules name the stacks, so it belongs to none. */
export function webhookKeyOf(name: string): DocumentKey {
  return { kind: 'webhook', scope: '*', name }
}

/** The value of a document, of the shape of its kind. Throws DOCUMENT_INVALID with the place. */
export function parseDocument<Shape extends z.ZodType>(
  shape: Shape,
  { key, value }: Pick<StoredDocument, 'key' | 'value'>,
): z.infer<Shape> {
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data
  const { at, must } = formFaultOf(parsed.error, value)
  throw error(
    'DOCUMENT_INVALID',
    `the ${key.kind} ${toPrintable(key.name)} is wrong at '${at}': it ${must}`,
  )
}

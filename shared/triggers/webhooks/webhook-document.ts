import * as z from 'zod'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { type DocumentKey, type SealingPort, sealingContextOf } from '../../ports/documents.ts'
import { hostApis } from '../hosts/host-apis.ts'
import { isUsableGitlabSecret } from './gitlab-form.ts'
import { ruleForm } from './rules.ts'
import { type WebhookFormName, webhookForms } from './webhook-forms.ts'

/** The names of all forms. */
export const webhookFormNames = Object.keys(webhookForms) as [WebhookFormName, ...WebhookFormName[]]

/** The schema of a shared secret. A shorter secret could be found by brute force. */
const secretForm = z.string().min(16).max(1000)

const apiUrlForm = z.url({ protocol: /^https?$/ })

/** A stored webhook. Sealed values are bound to the document's key. */
export const webhookDocument = z.strictObject({
  /** The format of the sender: its signature and events. */
  form: z.enum(webhookFormNames),
  /** The sealed secrets. During a rotation, the second one is the previous secret. */
  secrets: z.array(z.string()).min(1).max(2),
  /**
   * The sealed credential for reading the repository's archive, and for writing commit states and
   * comments.
   */
  credential: z.string().optional(),
  /** The API address of the repository's host. */
  apiUrl: apiUrlForm.default('https://api.github.com'),
  isPaused: z.boolean().default(false),
  rules: z.array(ruleForm).max(triggerLimits.rulesMax),
})

/** The settings of a webhook, with sealed secrets. */
export type WebhookDocument = z.infer<typeof webhookDocument>

/** A webhook as a user creates it, with secrets in plaintext. */
export const webhookDraft = webhookDocument
  .omit({ secrets: true, credential: true })
  .extend({
    secrets: z.array(secretForm).min(1).max(2),
    credential: z.string().min(1).optional(),
    /** Absent for the API of the form's public host. */
    apiUrl: apiUrlForm.optional(),
  })
  .refine(
    ({ form, apiUrl }) => apiUrl !== undefined || hostApis[form].defaultApiUrl !== undefined,
    {
      path: ['apiUrl'],
      message: 'must be the address of the API of the host, because this form has no public host',
    },
  )
  .refine(({ form, secrets }) => form !== 'gitlab' || secrets.every(isUsableGitlabSecret), {
    path: ['secrets'],
    message: 'must have at least 24 bytes in base64 after whsec_',
  })

/**
 * Seals the secrets of a draft for the document of the webhook `name`. Throws the errors of
 * `sealing`.
 */
export async function sealWebhook(
  sealing: SealingPort,
  name: string,
  { secrets, credential, apiUrl, ...publicFields }: z.infer<typeof webhookDraft>,
): Promise<WebhookDocument> {
  const seal = (text: string): Promise<string> =>
    sealing.seal(text, sealingContextOf(webhookKeyOf(name)))
  const sealed = {
    ...publicFields,
    apiUrl: apiUrl ?? hostApis[publicFields.form].defaultApiUrl ?? '',
    secrets: await Promise.all(secrets.map(seal)),
  }
  return credential === undefined ? sealed : { ...sealed, credential: await seal(credential) }
}

/**
 * Returns the key of the webhook `name`. A webhook belongs to no stack, because its rules name the
 * stacks.
 */
export function webhookKeyOf(name: string): DocumentKey {
  return { kind: 'webhook', scope: '*', name }
}

import * as z from 'zod'
import {
  type RepositoryEvent,
  limitPaths,
  commitForm,
  refNameForm,
  repositoryForm,
} from './repository-event.ts'
import { parseWebhookBody } from './webhook-body.ts'

const changeFields = {
  repository: repositoryForm,
  commit: commitForm,
  paths: z.array(z.string().max(4096)).optional(),
}

/** The body of the signed form, as a user's own pipeline sends it. */
const signedBodyForm = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('ping') }),
  z.strictObject({ event: z.literal('push'), branch: refNameForm, ...changeFields }),
  z.strictObject({ event: z.literal('tag'), tag: refNameForm, ...changeFields }),
  z.strictObject({
    event: z.literal('pull-request'),
    number: z.int().positive(),
    branch: refNameForm,
    /**
     * The value of `isForeign` of the event. Without this field, only rules that allow forks apply.
     */
    foreign: z.boolean().default(true),
    ...changeFields,
  }),
])

/** Parses a body of the signed form. Throws WEBHOOK_MALFORMED. */
export function readSignedEvent(body: Uint8Array): RepositoryEvent {
  const parsed = parseWebhookBody(body, signedBodyForm)
  if (parsed.event === 'ping') return { kind: 'ping' }
  const { repository, commit } = parsed
  const paths = parsed.paths === undefined ? undefined : limitPaths(parsed.paths)
  const details = { repository, commit, paths }
  if (parsed.event === 'push') return { kind: 'push', branch: parsed.branch, ...details }
  if (parsed.event === 'tag') return { kind: 'tag', tag: parsed.tag, ...details }
  const { number, branch, foreign } = parsed
  return { kind: 'pull-request', number, branch, isForeign: foreign, ...details }
}

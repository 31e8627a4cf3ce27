import {
  webhookForms,
  type WebhookFormName,
} from '../../../shared/triggers/webhooks/webhook-forms.ts'
import type { FuzzTarget } from '../fuzz-target.ts'

/** The headers that name the event, by form. */
const eventHeaders: ReadonlyMap<WebhookFormName, string> = new Map([
  ['gitlab', 'x-gitlab-event'],
  ['bitbucket', 'x-event-key'],
  ['bitbucket-server', 'x-event-key'],
  ['gitea', 'x-gitea-event'],
])

/**
 * Webhook bodies: a line, and the body. The line is the name of GitHub's event, `signed`, or
 * another form with a colon and its event.
 */
export const webhooksTarget: FuzzTarget = {
  decode(input) {
    const bytes = Buffer.from(input)
    const lineEnd = Math.max(0, bytes.indexOf(10))
    const line = bytes.toString('utf8', 0, lineEnd)
    const body = bytes.subarray(lineEnd + 1)
    for (const [form, header] of eventHeaders)
      if (line.startsWith(`${form}:`)) {
        const headers = new Map([[header, line.slice(form.length + 1)]])
        return webhookForms[form].read({ headers, body })
      }
    const form = line === 'signed' ? webhookForms.signed : webhookForms.github
    return form.read({ headers: new Map([['x-github-event', line]]), body })
  },
}

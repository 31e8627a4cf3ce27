import { webhookForms } from '../../../shared/triggers/webhooks/webhook-forms.ts'
import type { FuzzTarget } from '../fuzz-target.ts'

/** Webhook bodies: a line with the name of GitHub's event or `signed`, and the body. */
export const webhooksTarget: FuzzTarget = {
  decode(input) {
    const bytes = Buffer.from(input)
    const lineEnd = Math.max(0, bytes.indexOf(10))
    const event = bytes.toString('utf8', 0, lineEnd)
    const body = bytes.subarray(lineEnd + 1)
    const form = event === 'signed' ? webhookForms.signed : webhookForms.github
    return form.read({ headers: new Map([['x-github-event', event]]), body })
  },
}

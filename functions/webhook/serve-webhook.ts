import { DeployError } from '../../shared/errors/error.ts'
import { defaultGroup } from '../../shared/config/stack-groups.ts'
import { type GroupedPorts, portsOfGroup } from '../../shared/runtime/groups/port-groups.ts'
import { answerWebhook, type WebhookServer } from './answer-webhook.ts'
import { parseDelivery, type HttpResponse, toHttpResponse } from '../aws/webhook-event.ts'

/** The dependencies of receiving deliveries for all groups of stacks. */
export interface GroupedWebhookServer extends WebhookServer, GroupedPorts<GroupedWebhookServer> {}

/** Answers one HTTP request, which Lambda passes as `event`. */
export async function serveWebhook(
  server: GroupedWebhookServer,
  event: unknown,
): Promise<HttpResponse> {
  try {
    const delivery = parseDelivery(event)
    if (delivery === undefined) return toHttpResponse({ status: 404, body: unknownPathBody })
    const { group, name, request } = delivery
    const isKnown =
      group === defaultGroup ||
      server.otherGroups?.some(otherGroup => otherGroup.name === group) === true
    // No webhook has a name with `~`, so an unknown group is refused like an unknown name.
    const answer = isKnown
      ? answerWebhook(portsOfGroup(server, group), name, request)
      : answerWebhook(server, `${group}~${name}`, request)
    return toHttpResponse(await answer)
  } catch (thrown) {
    if (!(thrown instanceof DeployError)) throw thrown
    // `parseDelivery` throws only WEBHOOK_TOO_LARGE, and `answerWebhook` never throws.
    const { code, message, hint } = thrown
    return toHttpResponse({ status: 413, body: { code, message, hint } })
  }
}

const unknownPathBody = {
  code: 'WEBHOOK_UNKNOWN',
  message: 'webhook deliveries must be sent by POST to /hooks/<name>',
  hint: 'List the webhooks, and correct the address at the sender.',
}

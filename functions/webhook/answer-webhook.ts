/**
 * webhook: receives deliveries of webhooks and requests the deployments that their rules select. It
 * reads no journal and no blobs, opens only the secrets of triggers, and runs no program. Its
 * requests wait in the queue of their stack, and a nudge announces them.
 */
import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import { type ErrorCode, catalogue } from '../../shared/errors/catalogue.ts'
import { DeployError, createError, messageOf } from '../../shared/errors/error.ts'
import type { TriggerPorts } from '../../shared/ports/documents.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { DeploymentOptions } from '../../shared/records/log.ts'
import {
  type WebhookReception,
  receiveWebhook,
} from '../../shared/triggers/webhooks/receive-webhook.ts'
import { createWebhookRequest } from '../../shared/triggers/trigger-requests.ts'
import type { WebhookRequest } from '../../shared/triggers/webhooks/webhook-form.ts'

/** The dependencies of receiving deliveries. */
export interface WebhookServer extends TriggerPorts {
  readonly requests: Pick<Platform['requests'], 'put'>
  readonly catalog: Pick<Platform['catalog'], 'getStack'>
  readonly nudges: Pick<Platform['nudges'], 'nudge'>
  readonly clock: Pick<Platform['clock'], 'now'>
  readonly logger: Platform['logger']
  /** The processes that run the requested operations. */
  readonly execute: DeploymentOptions['execute']
}

/** An HTTP response with a JSON body. */
export interface WebhookResponse {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  /** Time that the sender should wait before it repeats the delivery. */
  readonly retryAfterSeconds?: number
}

/**
 * Answers a delivery of the webhook `name`. Responds with 202 and the requests that it queued, or
 * with 200 for a delivery that requires no new request. Responds with 503 while another process
 * receives the same delivery, and with 401 to 422 and an error code for an invalid delivery. Never
 * throws: an internal error becomes 500 or 503, without the message of the error.
 */
export async function answerWebhook(
  server: WebhookServer,
  name: string,
  request: WebhookRequest,
): Promise<WebhookResponse> {
  const requestedDeployments: RequestedDeployment[] = []
  const unknownStacks: StackId[] = []
  try {
    const reception = await receiveWebhook(
      {
        ...server,
        send: async (ruleMatches, delivery) => {
          const requestOptions = { requestedAt: server.clock.now(), execute: server.execute }
          for (const ruleMatch of ruleMatches) {
            const { stack, operation } = ruleMatch
            if ((await server.catalog.getStack(stack)) === undefined) {
              unknownStacks.push(stack)
              continue
            }
            const deploymentRequest = createWebhookRequest(ruleMatch, delivery, requestOptions)
            // If a request with this key exists, an earlier try of the same delivery queued it.
            await server.requests.put(deploymentRequest)
            await server.nudges.nudge(stack, 0)
            requestedDeployments.push({ stack, operation, request: deploymentRequest.key })
          }
          // After this error the delivery gets no mark, so the sender can repeat the delivery
          // later.
          if (requestedDeployments.length === 0)
            throw createError(
              'STACK_NOT_FOUND',
              `no stack of the matching rules exists: ${unknownStacks.join(', ')}`,
              {
                hint: 'Create the stack, or correct the rule of the webhook; then send the delivery again.',
              },
            )
        },
      },
      name,
      request,
    )
    server.logger.write('info', 'webhook.received', { webhook: name, kind: reception.kind })
    return webhookResponseOf(reception, { requestedDeployments, unknownStacks })
  } catch (thrown) {
    return refusalOf(server, name, thrown)
  }
}

interface RequestedDeployment {
  readonly stack: StackId
  readonly operation: string
  readonly request: string
}

function webhookResponseOf(
  reception: WebhookReception,
  {
    requestedDeployments,
    unknownStacks,
  }: {
    readonly requestedDeployments: readonly RequestedDeployment[]
    readonly unknownStacks: readonly StackId[]
  },
): WebhookResponse {
  if (reception.kind === 'accepted')
    return {
      status: 202,
      body: {
        kind: 'accepted',
        asked: requestedDeployments,
        ...(unknownStacks.length === 0 ? {} : { unknown: unknownStacks }),
      },
    }
  if (reception.kind === 'underway')
    return {
      status: 503,
      body: { kind: 'underway' },
      retryAfterSeconds: triggerLimits.deliveryClaimMs / 1000,
    }
  return { status: 200, body: { ...reception } }
}

/** HTTP statuses of errors that the sender can correct, by error code. */
const statusByCode: Partial<Readonly<Record<ErrorCode, number>>> = {
  WEBHOOK_UNKNOWN: 404,
  WEBHOOK_REFUSED: 401,
  WEBHOOK_STALE: 401,
  WEBHOOK_TOO_LARGE: 413,
  WEBHOOK_MALFORMED: 422,
  STACK_NOT_FOUND: 422,
}

/** Seconds that a sender should wait after STORE_UNAVAILABLE. No user waits for the delivery. */
const storeRetrySeconds = 30

function refusalOf({ logger }: WebhookServer, webhook: string, thrown: unknown): WebhookResponse {
  const deployError = thrown instanceof DeployError ? thrown : undefined
  const code = deployError?.code ?? 'INTERNAL_ASSERTION'
  const status = statusByCode[code]
  if (status !== undefined && deployError !== undefined) {
    logger.write('warn', 'webhook.refused', { webhook, code })
    return { status, body: { code, message: deployError.message, hint: deployError.hint } }
  }
  logger.write('error', 'webhook.failed', { webhook, code, message: messageOf(thrown) })
  const message = 'the delivery cannot be received at the moment; send it again later'
  const isTemporary = code === 'STORE_UNAVAILABLE'
  return {
    status: isTemporary ? 503 : 500,
    body: { code, message, hint: catalogue[code].hint },
    ...(isTemporary ? { retryAfterSeconds: storeRetrySeconds } : {}),
  }
}

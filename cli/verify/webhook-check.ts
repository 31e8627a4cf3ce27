import { randomBytes, randomUUID } from 'node:crypto'
import * as z from 'zod'
import { apiLimits } from '../../shared/config/api-limits.ts'
import { createError, messageOf } from '../../shared/errors/error.ts'
import { deliveryHeaders, signatureOf } from '../../shared/triggers/webhooks/webhook-signature.ts'
import type { EnginePort } from '../../local/engine-port.ts'
import type { CheckOutcome } from './check-report.ts'
import type { CheckStack, CheckStacks } from './check-stacks.ts'
import { throwIfInterrupted } from './run-remotely.ts'

/** The dependencies of the webhook check. */
export interface WebhookCheckDeps {
  readonly engine: EnginePort
  readonly stacks: CheckStacks
  /** The name of the webhook. */
  readonly name: string
  /** The address of webhooks, without a name; it ends with a slash. */
  readonly webhookUrl: string
  readonly signal: AbortSignal
}

/** The repository that the deliveries of the check name. It does not exist and is never fetched. */
const repository = 'antichain/verify'
/** Longest time until a request of a delivery has its result. */
const requestLimitMs = 5 * 60_000
const pollMs = 1_000

/**
 * Checks that a signed delivery deploys the uploaded program of a stack, and that an unsigned one
 * is refused.
 */
export async function checkWebhook(deps: WebhookCheckDeps): Promise<CheckOutcome> {
  const { engine, stacks, name, webhookUrl } = deps
  const stack = await stacks.create('webhook', { count: 1, delayMs: 200 })
  // This `up` sets the program of the stack. The rule deploys that program.
  await stack.up()
  const secret = randomBytes(32).toString('base64url')
  const rule = { on: 'push', repository, branches: ['main'], stack: stack.id, program: 'uploaded' }
  const path = `/v1/webhooks/${name}`
  await engine.callApi({
    method: 'PUT',
    path,
    body: { form: 'signed', secrets: [secret], rules: [rule] },
  })
  try {
    const address = `${webhookUrl}${name}`
    const unsignedResponse = await deliver(address, undefined)
    if (unsignedResponse.status !== 401)
      throw createDeliveryError('the unsigned delivery', unsignedResponse)
    const signedResponse = await deliver(address, secret)
    const [acceptedRequest] = acceptedForm.safeParse(signedResponse.body).data?.asked ?? []
    if (signedResponse.status !== 202 || acceptedRequest === undefined)
      throw createDeliveryError('the signed delivery', signedResponse)
    await awaitSuccess(deps, stack, acceptedRequest.request)
    const message =
      'A signed delivery deployed the uploaded program; an unsigned one was refused with 401.'
    return { result: 'passed', message }
  } finally {
    await engine.callApi({ method: 'DELETE', path })
  }
}

/** The response to an accepted delivery: the requests that the delivery made. */
const acceptedForm = z.object({ asked: z.array(z.object({ request: z.string() })) })

interface DeliveryResponse {
  readonly status: number
  readonly body: unknown
}

/** Sends a push, signed if there is a secret. Throws OUTBOUND_FAILED without a response. */
async function deliver(address: string, secret: string | undefined): Promise<DeliveryResponse> {
  const commit = randomBytes(20).toString('hex')
  const body = JSON.stringify({ event: 'push', repository, branch: 'main', commit })
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const signatureHeaders: Readonly<Record<string, string>> =
    secret === undefined
      ? {}
      : { [deliveryHeaders.signature]: `v1=${signatureOf(secret, timestamp, body)}` }
  const headers = {
    'content-type': 'application/json',
    [deliveryHeaders.id]: randomUUID(),
    [deliveryHeaders.timestamp]: timestamp,
    ...signatureHeaders,
  }
  const signal = AbortSignal.timeout(apiLimits.callTimeoutMs)
  try {
    const response = await fetch(address, { method: 'POST', headers, body, signal })
    return { status: response.status, body: await response.json().catch(() => undefined) }
  } catch (cause) {
    throw createError('OUTBOUND_FAILED', `${address} is unreachable: ${messageOf(cause)}`, {
      cause,
    })
  }
}

function createDeliveryError(subject: string, { status, body }: DeliveryResponse): Error {
  const code = z.object({ code: z.string() }).safeParse(body).data?.code
  const codeText = code === undefined ? '' : ` (${code})`
  return createError('OUTBOUND_FAILED', `${subject} got status ${status}${codeText}`)
}

const requestForm = z.object({
  end: z.looseObject({ kind: z.string(), deployment: z.string().optional() }).optional(),
})
const deploymentForm = z.object({ result: z.string().optional() })

/** Waits until the deployment of a request has succeeded. Throws DEPLOYMENT_FAILED. */
async function awaitSuccess(
  { engine, signal }: WebhookCheckDeps,
  { path }: CheckStack,
  key: string,
): Promise<void> {
  const readResource = (name: string): Promise<unknown> =>
    engine.callApi({ method: 'GET', path: `${path}/${name}` })
  const deadlineMs = performance.now() + requestLimitMs
  for (;;) {
    throwIfInterrupted(signal)
    const { end } = requestForm.parse(await readResource(`requests/${encodeURIComponent(key)}`))
    if (end !== undefined && end.kind !== 'started')
      throw createError('DEPLOYMENT_FAILED', `the request of the delivery was ${end.kind}`)
    const number = end?.deployment?.split('/').at(-1)
    const result =
      number === undefined
        ? undefined
        : deploymentForm.parse(await readResource(`deployments/${number}`)).result
    if (result === 'succeeded') return
    if (result !== undefined)
      throw createError('DEPLOYMENT_FAILED', `the deployment of the delivery ${result}`)
    if (performance.now() > deadlineMs)
      throw createError('DEPLOYMENT_FAILED', 'the request of the delivery has no result yet')
    await new Promise(resolve => setTimeout(resolve, pollMs))
  }
}

import { apiLimits } from '../../shared/config/api-limits.ts'
import { DeployError, hasCode } from '../../shared/errors/error.ts'
import { createStackAttributes } from '../../shared/engine/telemetry/describe-operation.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { Pool } from '../../shared/records/pool.ts'
import { type DeploymentRequest, isEditRequest } from '../../shared/records/stack-request.ts'
import { errorSourceOf } from '../../shared/providers/retry-policy.ts'
import { findApprovalPeriodMs } from '../../shared/runtime/approvals/approval-rule.ts'
import type { StackServerDeps } from '../../shared/runtime/deployment/stack-server-deps.ts'
import { isSuperseded } from '../../shared/triggers/trigger-requests.ts'
import type { CallTime } from './call-time.ts'
import { createRefusedEnd } from './create-refused-end.ts'
import { notifyAndEndRequest, notifyStarted } from './send-notifications.ts'
import { serveEdit } from './serve-edit.ts'
import { servePreview } from './serve-preview.ts'
import { serveRun } from './serve-run.ts'
import { refuseRecentRead } from './refuse-recent-read.ts'
import { startDeployment } from './start-deployment.ts'

/**
 * The result of serving the requests of a stack. `idle`: no request is waiting. `held`: another
 * process has the stack. `ended`: a deployment, preview or edit is over. `handed over`: the next
 * generator run continues the deployment. `refused`: the last request was refused. `passed on`: a
 * nudge makes another call continue. `wrong environment`: this environment serves another stack.
 */
export type BeginOutcome =
  | 'idle'
  | 'held'
  | 'ended'
  | 'handed over'
  | 'refused'
  | 'passed on'
  | 'wrong environment'

/**
 * Runs the edits at the front of the queue, and begins the first request of another kind. Ends each
 * superseded request, refuses each request that cannot begin, and continues with the next request.
 * When too little time of the call remains to open another request, a nudge makes another call
 * continue.
 */
export async function beginNextRequest(
  server: StackServerDeps,
  { stack, pool }: { readonly stack: StackId; readonly pool: Pool },
  callTime: CallTime,
): Promise<BeginOutcome> {
  let lastOutcome: BeginOutcome = 'idle'
  for (let isFirst = true; ; isFirst = false) {
    const [queuedRequest, nextRequest] = await server.requests.listWaiting(stack, 2)
    if (queuedRequest === undefined) return lastOutcome
    if (!isFirst && !callTime.mayOpenAnotherRequest()) {
      await server.platform.nudges.nudge(stack, 0, { pool })
      return 'passed on'
    }
    if (isEditRequest(queuedRequest)) {
      // An edit runs no code of its stack, so any environment may serve it.
      lastOutcome = await serveEdit(server, queuedRequest)
      if (lastOutcome === 'held') return lastOutcome
      continue
    }
    if (nextRequest !== undefined && isSuperseded(queuedRequest, nextRequest)) {
      await notifyAndEndRequest(server, queuedRequest, { kind: 'superseded', by: nextRequest.key })
      continue
    }
    if (server.mayServe?.(stack) === false) return 'wrong environment'
    const serveOutcome = await beginRequest(server, queuedRequest, callTime).catch(thrown =>
      refuseRequest(server, queuedRequest, thrown),
    )
    if (serveOutcome !== 'refused') return serveOutcome
    lastOutcome = 'refused'
  }
}

/**
 * Refuses the requests that were queued while their stack was removed or renamed. Without an end,
 * their senders would wait for ever.
 */
export async function refuseStacklessRequests(
  server: StackServerDeps,
  stack: StackId,
): Promise<'idle' | 'refused'> {
  const message = `the stack '${stack}' does not exist; it was removed or renamed`
  const end = { kind: 'refused', code: 'STACK_NOT_FOUND', message } as const
  const waitingRequests = await server.requests.listWaiting(stack, apiLimits.waitingRequestsMax)
  for (const request of waitingRequests)
    if (isEditRequest(request)) await server.requests.end(stack, request.key, end)
    else await notifyAndEndRequest(server, request, end)
  return waitingRequests.length > 0 ? 'refused' : 'idle'
}

/** Records how long a request waited for the begin of its deployment. */
function recordRequestWait(
  { telemetry, clock }: Pick<Platform, 'telemetry' | 'clock'>,
  { stack, at, options: { command } }: DeploymentRequest,
): void {
  const attributes = { ...createStackAttributes(stack), 'antichain.command': command }
  telemetry.recordDuration('antichain.request.wait', (clock.now() - at) / 1_000, attributes)
}

async function beginRequest(
  server: StackServerDeps,
  waitingRequest: DeploymentRequest,
  callTime: CallTime,
): Promise<BeginOutcome> {
  const authorizedRequest =
    (await server.authorization?.authorize(waitingRequest)) ?? waitingRequest
  // The authorization derives the request of a trigger again, and the result lacks the requester.
  // The requester is restored, because requesters may not approve their own plans.
  const { by, token } = waitingRequest
  const queuedRequest = { ...authorizedRequest, by, ...(token === undefined ? {} : { token }) }
  await refuseRecentRead(server, queuedRequest)
  const { documents } = server.ports
  const approvalPeriodMs = queuedRequest.dryRun
    ? undefined
    : await findApprovalPeriodMs(documents, queuedRequest)
  const dryRun = queuedRequest.dryRun || approvalPeriodMs !== undefined
  // `open` may install the program, which can take most of the call. So the limit is read
  // afterwards.
  const request = await server.open({ ...queuedRequest, dryRun })
  if (dryRun) {
    const preview = { request, queuedRequest, approvalPeriodMs }
    const previewOutcome = await servePreview(server, preview, callTime.remainingLimit())
    if (previewOutcome === 'passed on') return previewOutcome
    // The release of a deployment nudges the stack for its next request. A preview has no release,
    // and the nudge of the next request may be consumed already.
    if ((await server.requests.listWaiting(queuedRequest.stack, 1)).length > 0)
      await server.platform.nudges.nudge(queuedRequest.stack, 0)
    return previewOutcome
  }
  try {
    const end = await serveRun(server, request, {
      ...callTime.remainingLimit(),
      begin: async ports => {
        const startedDeployment = await startDeployment(ports, { ...request, by })
        recordRequestWait(server.platform, queuedRequest)
        await notifyStarted(server, startedDeployment.deployment, queuedRequest)
        return startedDeployment
      },
    })
    return end?.kind ?? 'idle'
  } catch (thrown) {
    return toHeldOutcome(thrown)
  }
}

/**
 * Refuses a request after an error that the sender must correct. Throws any other error, so that
 * the nudge is delivered again. Also throws the error of a request that has ended, because the
 * records of its deployment contain the error.
 */
async function refuseRequest(
  server: StackServerDeps,
  queuedRequest: DeploymentRequest,
  thrown: unknown,
): Promise<BeginOutcome> {
  const { stack, key } = queuedRequest
  const isSenderError = thrown instanceof DeployError && errorSourceOf(thrown) !== 'store'
  const storedRequest = await server.requests.find(stack, key)
  if (!isSenderError || hasCode(thrown, 'LEASE_LOST') || storedRequest?.end !== undefined)
    throw thrown
  const { code } = thrown
  await notifyAndEndRequest(server, queuedRequest, createRefusedEnd(thrown))
  server.platform.logger.write('warn', 'request.refused', { stack, key, code })
  return 'refused'
}

/**
 * Returns `held` for an error which means that another process has the stack. Throws any other
 * error.
 */
export function toHeldOutcome(thrown: unknown): 'held' {
  if (hasCode(thrown, 'DEPLOYMENT_TAKEN_OVER') || hasCode(thrown, 'STACK_BUSY')) return 'held'
  throw thrown
}

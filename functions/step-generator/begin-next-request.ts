import { apiLimits } from '../../shared/config/api-limits.ts'
import { DeployError, hasCode } from '../../shared/errors/error.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { Pool } from '../../shared/records/pool.ts'
import { type DeploymentRequest, isEditRequest } from '../../shared/records/request.ts'
import { errorSourceOf } from '../../shared/providers/retry-policy.ts'
import type { StackServer } from '../../shared/runtime/deployment/stack-server-deps.ts'
import { isSuperseded } from '../../shared/triggers/trigger-requests.ts'
import type { CallTime } from './call-time.ts'
import { notifyAndEndRequest, notifyStarted } from './notify-result.ts'
import { serveEdit } from './serve-edit.ts'
import { servePreview } from './serve-preview.ts'
import { serveRun } from './serve-run.ts'
import { startDeployment } from './start-deployment.ts'

/**
 * The result of the requests of a stack. `idle`: the stack has no work. `held`: another process has
 * the deployment. `ended`: a deployment or preview is over. `left`: the deployment was handed over.
 * `refused`: the last request was refused. `passed on`: another call got a nudge for the rest.
 * `elsewhere`: this environment serves another stack.
 */
export type BeginOutcome =
  | 'idle'
  | 'held'
  | 'ended'
  | 'left'
  | 'refused'
  | 'passed on'
  | 'elsewhere'

/**
 * Runs the waiting edits, and begins the first other request. Ends each superseded request, refuses
 * each one that cannot begin, and continues with the next one. When too little time of the call is
 * left to open another request, a nudge has another call continue.
 */
export async function beginNextRequest(
  server: StackServer,
  { stack, pool }: { readonly stack: StackId; readonly pool: Pool },
  callTime: CallTime,
): Promise<BeginOutcome> {
  let lastOutcome: BeginOutcome = 'idle'
  for (let isFirst = true; ; isFirst = false) {
    const [queuedRequest, nextRequest] = await server.requests.listWaiting(stack, 2)
    if (queuedRequest === undefined) return lastOutcome
    if (!isFirst && !callTime.mayOpenNext()) {
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
    if (server.mayServe?.(stack) === false) return 'elsewhere'
    const serveOutcome = await beginRequest(server, queuedRequest, callTime).catch(thrown =>
      refuseRequest(server, queuedRequest, thrown),
    )
    if (serveOutcome !== 'refused') return serveOutcome
    lastOutcome = 'refused'
  }
}

/**
 * Refuses the requests of a stack that was removed or renamed while they were put. Without an end,
 * their senders would wait for ever.
 */
export async function refuseStacklessRequests(
  server: StackServer,
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

async function beginRequest(
  server: StackServer,
  storedRequest: DeploymentRequest,
  callTime: CallTime,
): Promise<BeginOutcome> {
  const queuedRequest = (await server.authorization?.authorize(storedRequest)) ?? storedRequest
  // The installation of a program can take most of the time of a call.
  const request = await server.open(queuedRequest)
  if (queuedRequest.dryRun) {
    const preview = { request, queuedRequest }
    const previewOutcome = await servePreview(server, preview, callTime.limitNow())
    if (previewOutcome === 'passed on') return previewOutcome
    // Only the release of a deployment nudges the next request. After a preview no release follows,
    // and the nudge that the next request sent may be consumed already.
    if ((await server.requests.listWaiting(queuedRequest.stack, 1)).length > 0)
      await server.platform.nudges.nudge(queuedRequest.stack, 0)
    return previewOutcome
  }
  try {
    const end = await serveRun(server, request, {
      ...callTime.limitNow(),
      begin: async ports => {
        const startedDeployment = await startDeployment(ports, request)
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
 * Ends a request with an error that its caller must correct. Throws any other error, so that the
 * nudge is delivered again. Also throws the error of a request that has ended, because the records
 * of its deployment contain the error.
 */
async function refuseRequest(
  server: StackServer,
  queuedRequest: DeploymentRequest,
  thrown: unknown,
): Promise<BeginOutcome> {
  const { stack, key } = queuedRequest
  const isCallerError = thrown instanceof DeployError && errorSourceOf(thrown) !== 'store'
  const keptRequest = await server.requests.find(stack, key)
  if (!isCallerError || hasCode(thrown, 'LEASE_LOST') || keptRequest?.end !== undefined)
    throw thrown
  const { code, message } = thrown
  await notifyAndEndRequest(server, queuedRequest, { kind: 'refused', code, message })
  server.platform.logger.write('warn', 'request.refused', { stack, key, code })
  return 'refused'
}

/**
 * Returns `held` if another process was faster, because the effect is the same. Throws any other
 * error.
 */
export function toHeldOutcome(thrown: unknown): 'held' {
  if (hasCode(thrown, 'DEPLOYMENT_TAKEN_OVER') || hasCode(thrown, 'STACK_BUSY')) return 'held'
  throw thrown
}

/**
 * Serves a nudged stack in a process that knows only the nudge. Continues the deployment of the
 * stack, or begins its next request. Can be called at any time, repeatedly or concurrently, because
 * the log has one writer.
 */
import { limits } from '../../shared/config/limits.ts'
import {
  readFirstPin,
  requireKnownRules,
} from '../../shared/engine/deployment/log/decision-rules.ts'
import { closeDeadDeployment } from '../../shared/engine/deployment/ownership/take-over.ts'
import { DeployError, hasCode } from '../../shared/errors/error.ts'
import type { NudgeOptions, ObservedHolder } from '../../shared/ports/queue.ts'
import { type DeploymentId, deploymentPartsOf, type StackId } from '../../shared/records/ids.ts'
import type { Holder } from '../../shared/records/log.ts'
import { type DeploymentRequest, isEditRequest } from '../../shared/records/request.ts'
import type { Pool } from '../../shared/records/pool.ts'
import { isSuperseded } from '../../shared/triggers/trigger-requests.ts'
import { errorSourceOf } from '../../shared/providers/retry-policy.ts'
import { abandonDeployment, isUnreadable } from './abandon-deployment.ts'
import { armWatchdog, isHolderGone, observedHolderOf } from './watchdog.ts'
import { wakeDeployment } from './resume-deployment.ts'
import { type RunLimit, serveRun } from './serve-run.ts'
import { servePreview } from './serve-preview.ts'
import { serveEdit } from './serve-edit.ts'
import { startDeployment } from './start-deployment.ts'
import { notifyAndEndRequest, notifyEnded, notifyStarted } from './notify-result.ts'
import type { StackServer } from '../../shared/runtime/deployment/stack-server-deps.ts'

/** A nudge, and the pool of the generator that received it. */
export interface NudgedStack {
  readonly stack: StackId
  readonly observedHolder?: ObservedHolder
  readonly pool: Pool
}

/**
 * The result of a nudge, for the log. `idle`: the stack has no work. `held`: another process has
 * the deployment. `ended`: a deployment or preview is over. `left`: the deployment was handed over.
 * `parked`: it was handed over again, because no operation had ended. `refused`: the last request
 * was refused. `passed on`: the long pool got the nudge. `elsewhere`: this environment serves
 * another stack.
 */
export type ServeOutcome =
  | 'idle'
  | 'held'
  | 'ended'
  | 'left'
  | 'parked'
  | 'refused'
  | 'passed on'
  | 'elsewhere'

/** Serves one nudge. Throws the store's errors; the nudge must then be delivered again. */
export async function serveStack(
  server: StackServer,
  nudge: NudgedStack,
  time: RunLimit,
): Promise<ServeOutcome> {
  const { stack } = nudge
  const record = await server.platform.catalog.getStack(stack)
  if (record === undefined) return 'idle'
  // The previous generator may have crashed before it reported its result.
  if (record.current === '') await notifyEnded(server, stack)
  const serveOutcome =
    record.current === ''
      ? await beginNext(server, stack, time)
      : await resumeOrWait(server, { nudge, deployment: record.current }, time)
  if (serveOutcome === 'ended') await notifyEnded(server, stack)
  return serveOutcome
}

/** Continues the current deployment of a stack if its holder is gone. */
async function resumeOrWait(
  server: StackServer,
  { nudge, deployment }: { readonly nudge: NudgedStack; readonly deployment: DeploymentId },
  time: RunLimit,
): Promise<ServeOutcome> {
  const { platform } = server
  const { stack } = nudge
  const control = await platform.control.read(deployment)
  if (control === undefined) return awaitControl(server, nudge, deployment)
  const leases = await platform.leases.list(deployment)
  if (!isHolderGone(control, leases, nudge.observedHolder)) {
    // A holder keeps a watchdog nudge scheduled, but it may have died before the first one.
    if (nudge.observedHolder === undefined)
      await armWatchdog(platform, deployment, observedHolderOf(control.holder, leases))
    return 'held'
  }
  if (control.handedOver?.pool === 'long' && nudge.pool === 'short')
    return passToPool(server, stack, { pool: 'long' })
  const takingServer = withDeadHolder(server, control.holder, nudge.observedHolder)
  if (control.stop !== 'none') return closeStopped(takingServer, deployment, control.stop)
  return resumeOrClose(takingServer, { stack, deployment }, time)
}

/**
 * Closes a stopped deployment without a holder. Its program is not opened, because a program that
 * cannot be opened may be the reason for the stop. After a forced stop, a deployment with
 * unreadable records is abandoned.
 */
async function closeStopped(
  { platform, ports }: StackServer,
  deployment: DeploymentId,
  stop: 'graceful' | 'forced',
): Promise<ServeOutcome> {
  try {
    await ignoreTakenOver(closeDeadDeployment(ports, deployment, 'cancelled'))
  } catch (thrown) {
    if (stop === 'graceful' || !isUnreadable(thrown)) throw thrown
    const record = await platform.catalog.getStack(deploymentPartsOf(deployment).stack)
    if (record?.current === deployment) await abandonDeployment(ports, deployment, record)
  }
  return 'ended'
}

/**
 * Handles a deployment without a control record. Its process started it a moment ago, or died
 * before it wrote the record. The first nudge schedules a delayed nudge, and the delayed nudge
 * closes the deployment.
 */
async function awaitControl(
  server: StackServer,
  { stack, observedHolder }: NudgedStack,
  deployment: DeploymentId,
): Promise<ServeOutcome> {
  const unseenHolder: ObservedHolder = { life: deployment, renewals: -1 }
  if (observedHolder?.life !== deployment) {
    await server.platform.nudges.nudge(stack, limits.watchdogNudgeMs, {
      observedHolder: unseenHolder,
    })
    return 'held'
  }
  await closeDeadDeployment({ ...server.ports, isHolding: () => false }, deployment)
  return 'ended'
}

async function passToPool(
  { platform }: StackServer,
  stack: StackId,
  options: NudgeOptions,
): Promise<ServeOutcome> {
  await platform.nudges.nudge(stack, 0, options)
  return 'passed on'
}

/**
 * Returns the server with ports that treat one holder as dead and any other as alive. The ports
 * also get the lease counters of executors that the nudge contains.
 */
function withDeadHolder(
  server: StackServer,
  deadHolder: Holder,
  observedHolder: ObservedHolder | undefined,
): StackServer {
  const isHolding = (holder: Holder): boolean => holder.started !== deadHolder.started
  const previousCounters =
    observedHolder?.executors === undefined ? {} : { previousCounters: observedHolder.executors }
  return { ...server, ports: { ...server.ports, isHolding, ...previousCounters } }
}

/** Continues a deployment without a holder, or closes it. */
async function resumeOrClose(
  server: StackServer,
  { stack, deployment }: { readonly stack: StackId; readonly deployment: DeploymentId },
  time: RunLimit,
): Promise<ServeOutcome> {
  const { platform, ports } = server
  const pin = await readFirstPin(platform, deployment)
  if (pin === undefined) {
    await ignoreTakenOver(closeDeadDeployment(ports, deployment))
    return 'ended'
  }
  requireKnownRules(deployment, pin)
  if (server.mayServe?.(stack) === false) return 'elsewhere'
  const request = await server.reopen(deployment, pin)
  try {
    const end = await serveRun(server, request, {
      ...time,
      deployment,
      begin: runPorts => wakeDeployment(runPorts, request),
    })
    return end === undefined ? 'parked' : end.kind
  } catch (thrown) {
    if (!hasCode(thrown, 'NOTHING_TO_RESUME')) return toHeldOutcome(thrown)
    const stackRecord = await platform.catalog.getStack(stack)
    // The deployment was stopped, and no living process would close it.
    if (stackRecord?.current === deployment)
      await ignoreTakenOver(closeDeadDeployment(ports, deployment, 'cancelled'))
    return 'ended'
  }
}

async function ignoreTakenOver(closing: Promise<void>): Promise<void> {
  await closing.catch(toHeldOutcome)
}

/**
 * Returns `held` if another process was faster, because the effect is the same. Throws any other
 * error.
 */
function toHeldOutcome(thrown: unknown): 'held' {
  if (hasCode(thrown, 'DEPLOYMENT_TAKEN_OVER') || hasCode(thrown, 'STACK_BUSY')) return 'held'
  throw thrown
}

/**
 * Runs the waiting edits, and begins the first other request. Ends each superseded request, refuses
 * each one that cannot begin, and continues with the next one.
 */
async function beginNext(
  server: StackServer,
  stack: StackId,
  time: RunLimit,
): Promise<ServeOutcome> {
  let lastOutcome: ServeOutcome = 'idle'
  for (;;) {
    const [queuedRequest, nextRequest] = await server.requests.listWaiting(stack, 2)
    if (queuedRequest === undefined) return lastOutcome
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
    const serveOutcome = await beginRequest(server, queuedRequest, time).catch(thrown =>
      refuseRequest(server, queuedRequest, thrown),
    )
    if (serveOutcome !== 'refused') return serveOutcome
    lastOutcome = 'refused'
  }
}

async function beginRequest(
  server: StackServer,
  queuedRequest: DeploymentRequest,
  time: RunLimit,
): Promise<ServeOutcome> {
  const { clock } = server.platform
  const openingMs = clock.monotonicMs()
  const request = await server.open(queuedRequest)
  // The installation of a program can take most of the time of a function.
  const remainingTime = shortenLimit(time, clock.monotonicMs() - openingMs)
  if (queuedRequest.dryRun) {
    const serveOutcome = await servePreview(server, request, queuedRequest)
    // Only the release of a deployment nudges the next request. After a preview no release follows,
    // and the nudge that the next request sent may be consumed already.
    if ((await server.requests.listWaiting(queuedRequest.stack, 1)).length > 0)
      await server.platform.nudges.nudge(queuedRequest.stack, 0)
    return serveOutcome
  }
  try {
    const end = await serveRun(server, request, {
      ...remainingTime,
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

/** Returns the limit of a run that begins after a part of the time. */
function shortenLimit(time: RunLimit, elapsedMs: number): RunLimit {
  const { limitMs } = time
  return limitMs === undefined ? time : { ...time, limitMs: Math.max(1_000, limitMs - elapsedMs) }
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
): Promise<ServeOutcome> {
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

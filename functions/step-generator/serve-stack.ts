/**
 * Serves a nudged stack in a process that knows only the nudge. Continues the deployment of the
 * stack, or begins its next request. Can be called at any time, repeatedly or concurrently, because
 * the log has one writer.
 */
import { limits } from '../../shared/config/limits.ts'
import {
  readFirstPin,
  requireSupportedRules,
} from '../../shared/engine/deployment/log/supported-rules.ts'
import { isLeaseOver } from '../../shared/engine/deployment/ownership/holder-status.ts'
import {
  closeDeadDeployment,
  closeUnlessTakenOver,
} from '../../shared/engine/deployment/ownership/take-over.ts'
import { hasCode } from '../../shared/errors/error.ts'
import { isOpenDeployment } from '../../shared/ports/open-deployments.ts'
import type { ObservedHolder } from '../../shared/ports/queue.ts'
import { type DeploymentId, deploymentPartsOf, type StackId } from '../../shared/records/ids.ts'
import type { Control } from '../../shared/records/head.ts'
import type { Holder } from '../../shared/records/log.ts'
import type { Pool } from '../../shared/records/pool.ts'
import { abandonDeployment, isUnreadable } from './abandon-deployment.ts'
import { armWatchdog, isHolderGone, observedHolderOf } from './watchdog.ts'
import { wakeDeployment } from './resume-deployment.ts'
import { type RunLimit, serveRun } from './serve-run.ts'
import {
  beginNextRequest,
  type BeginOutcome,
  refuseStacklessRequests,
  toHeldOutcome,
} from './begin-next-request.ts'
import { type CallTime, startCallTime } from './call-time.ts'
import { notifyExpiredApprovals } from './notify-expired-approvals.ts'
import { followUpLastDeployment } from './follow-up-deployment.ts'
import { removeExpiredDocuments } from './remove-expired-stack.ts'
import type { StackServerDeps } from '../../shared/runtime/deployment/stack-server-deps.ts'

/** A nudge, and the pool of the generator that received it. */
export interface NudgedStack {
  readonly stack: StackId
  readonly observedHolder?: ObservedHolder
  /** Whether to report the expired approvals of the stack first. */
  readonly reportsExpiredApprovals?: boolean
  readonly pool: Pool
}

/** The result of serving a nudge. `parked`: parked again, because no operation has ended. */
export type ServeOutcome = BeginOutcome | 'parked'

/**
 * Serves one nudge within `time`, which begins now. Throws the store's errors; the nudge must then
 * be delivered again.
 */
export async function serveStack(
  server: StackServerDeps,
  nudge: NudgedStack,
  time: RunLimit,
): Promise<ServeOutcome> {
  const { stack } = nudge
  const callTime = startCallTime(server.platform.clock, time)
  const record = await server.platform.catalog.getStack(stack)
  if (record === undefined) return endMissingStack(server, stack)
  if (nudge.reportsExpiredApprovals === true) await notifyExpiredApprovals(server, stack)
  // The previous generator may have crashed before it reported its result.
  if (record.current === '' && (await followUp(server, stack)) === 'removed')
    return endMissingStack(server, stack)
  const serveOutcome =
    record.current === ''
      ? await beginNextRequest(server, nudge, callTime)
      : await resumeOrWait(server, { nudge, deployment: record.current }, callTime)
  if (serveOutcome === 'ended') await followUp(server, stack)
  return serveOutcome
}

/**
 * Removes the documents that the removal of a stack by its schedule has left. Refuses the requests
 * of the missing stack.
 */
async function endMissingStack(
  server: StackServerDeps,
  stack: StackId,
): Promise<'idle' | 'refused'> {
  const { platform, notifier } = server
  if (notifier !== undefined) await removeExpiredDocuments({ platform, notifier }, stack)
  return refuseStacklessRequests(server, stack)
}

/** Calls `followUpLastDeployment`. If it must be called again later, sends a delayed nudge. */
async function followUp(server: StackServerDeps, stack: StackId): Promise<'kept' | 'removed'> {
  const { platform, notifier } = server
  if (notifier === undefined) return 'kept'
  const followUpResult = await followUpLastDeployment({ platform, notifier }, stack)
  if (followUpResult.kind !== 'waiting') return followUpResult.kind
  await platform.nudges.nudge(stack, followUpResult.waitMs)
  return 'kept'
}

/** Continues the current deployment of a stack if its holder is gone. */
async function resumeOrWait(
  server: StackServerDeps,
  { nudge, deployment }: { readonly nudge: NudgedStack; readonly deployment: DeploymentId },
  callTime: CallTime,
): Promise<ServeOutcome> {
  const { platform } = server
  const { stack } = nudge
  const control = await platform.control.read(deployment)
  if (control === undefined) return deferWithoutControlRecord(server, nudge, deployment)
  server.assignUsage?.(deployment)
  if (control.holder.expiresAt !== undefined) return closeOrDeferClient(server, deployment, control)
  const leases = await platform.leases.list(deployment)
  if (!isHolderGone(control, leases, nudge.observedHolder)) {
    // A holder keeps a watchdog nudge scheduled, but may have died before it sent the first one.
    if (nudge.observedHolder === undefined)
      await armWatchdog(platform, deployment, observedHolderOf(control.holder, leases))
    return 'held'
  }
  if (control.handedOver?.pool === 'long' && nudge.pool === 'short') {
    await platform.nudges.nudge(stack, 0, { pool: 'long' })
    return 'passed on'
  }
  const takeOverServer = withDeadHolder(server, control.holder, nudge.observedHolder)
  if (control.stop !== 'none') return closeStopped(takeOverServer, deployment, control.stop)
  return resumeOrClose(takeOverServer, { stack, deployment }, callTime)
}

/**
 * Closes the deployment of a client of Pulumi if its lease is over. Otherwise sends a nudge that
 * arrives at the end of the lease.
 */
async function closeOrDeferClient(
  { platform, ports }: StackServerDeps,
  deployment: DeploymentId,
  control: Control,
): Promise<ServeOutcome> {
  const now = platform.clock.now()
  if (isLeaseOver(control, now)) {
    await closeUnlessTakenOver(ports, deployment)
    return 'ended'
  }
  const { expiresAt = now } = control.holder
  await platform.nudges.nudge(deploymentPartsOf(deployment).stack, expiresAt - now)
  return 'held'
}

/**
 * Closes a stopped deployment without a holder. Its program is not opened, because a program that
 * cannot be opened may be the reason for the stop. After a forced stop, a deployment with
 * unreadable records is abandoned.
 */
async function closeStopped(
  { platform, ports }: StackServerDeps,
  deployment: DeploymentId,
  stop: 'graceful' | 'forced',
): Promise<ServeOutcome> {
  try {
    await closeUnlessTakenOver(ports, deployment, 'cancelled')
  } catch (thrown) {
    if (stop === 'graceful' || !isUnreadable(thrown)) throw thrown
    const record = await platform.catalog.getStack(deploymentPartsOf(deployment).stack)
    if (record !== undefined && isOpenDeployment(record, deployment))
      await abandonDeployment(ports, deployment, record)
  }
  return 'ended'
}

/**
 * Leaves a deployment without a control record to a delayed nudge. The process of the deployment
 * started it a moment ago, or died before it wrote the record. The first nudge schedules the
 * delayed nudge. The receiver of the delayed nudge closes the deployment if the record is still
 * missing.
 */
async function deferWithoutControlRecord(
  server: StackServerDeps,
  { stack, observedHolder }: NudgedStack,
  deployment: DeploymentId,
): Promise<ServeOutcome> {
  // Without a control record the holder is unknown, so the deployment's id identifies it.
  const unseenHolder: ObservedHolder = { life: deployment, renewals: -1 }
  if (observedHolder?.life !== deployment) {
    await server.platform.nudges.nudge(stack, limits.watchdogNudgeMs, {
      observedHolder: unseenHolder,
    })
    return 'held'
  }
  await closeDeadDeployment(server.ports, deployment)
  return 'ended'
}

/**
 * Returns the server with ports that treat one holder as dead and any other as alive. The ports
 * also get the lease counters of executors that the nudge contains.
 */
function withDeadHolder(
  server: StackServerDeps,
  deadHolder: Holder,
  observedHolder: ObservedHolder | undefined,
): StackServerDeps {
  const isHolderAlive = (holder: Holder): boolean => holder.started !== deadHolder.started
  const previousCounters =
    observedHolder?.executors === undefined ? {} : { previousCounters: observedHolder.executors }
  return {
    ...server,
    ports: { ...server.ports, isHolderAlive: isHolderAlive, ...previousCounters },
  }
}

/** Continues a deployment without a holder, or closes it. */
async function resumeOrClose(
  server: StackServerDeps,
  { stack, deployment }: { readonly stack: StackId; readonly deployment: DeploymentId },
  callTime: CallTime,
): Promise<ServeOutcome> {
  const { platform, ports } = server
  const pin = await readFirstPin(platform, deployment)
  if (pin === undefined) {
    await closeUnlessTakenOver(ports, deployment)
    return 'ended'
  }
  requireSupportedRules(deployment, pin)
  if (server.mayServe?.(stack) === false) return 'wrong environment'
  const request = await server.reopen(deployment, pin)
  try {
    const end = await serveRun(server, request, {
      ...callTime.remainingLimit(),
      deployment,
      begin: runPorts => wakeDeployment(runPorts, request),
    })
    return end === undefined ? 'parked' : end.kind
  } catch (thrown) {
    if (!hasCode(thrown, 'NOTHING_TO_RESUME')) return toHeldOutcome(thrown)
    const stackRecord = await platform.catalog.getStack(stack)
    // The deployment was stopped, and no living process would close it.
    if (isOpenDeployment(stackRecord, deployment))
      await closeUnlessTakenOver(ports, deployment, 'cancelled')
    return 'ended'
  }
}

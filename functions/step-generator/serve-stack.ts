/**
 * Serves a nudged stack in a process without other knowledge: continues its deployment, or begins
 * the next request. Can be called at any time, repeatedly or concurrently, because the log has one
 * writer.
 */
import { limits } from '../../shared/config/limits.ts'
import {
  readFirstPin,
  requireKnownRules,
} from '../../shared/engine/deployment/log/decision-rules.ts'
import { closeDeadDeployment } from '../../shared/engine/deployment/ownership/take-over.ts'
import { DeployError, hasCode } from '../../shared/errors/error.ts'
import type { NudgeOptions, ObservedHolder } from '../../shared/ports/queue.ts'
import type { DeploymentId, StackId } from '../../shared/records/ids.ts'
import type { Holder } from '../../shared/records/log.ts'
import type { DeploymentRequest } from '../../shared/records/request.ts'
import type { Pool } from '../../shared/records/pool.ts'
import { isSuperseded } from '../../shared/triggers/trigger-requests.ts'
import { errorSourceOf } from '../../shared/providers/retry-policy.ts'
import { armWatchdog, isHolderGone, seenHolderOf } from './watchdog.ts'
import { wakeDeployment } from './resume-deployment.ts'
import { type RunLimit, serveRun } from './serve-run.ts'
import { servePreview } from './serve-preview.ts'
import { startDeployment } from './start-deployment.ts'
import { notifyAndEndRequest, notifyEnded, notifyStarted } from './notify-result.ts'
import type { StackServer } from '../../shared/runtime/deployment/stack-server-deps.ts'

/** A nudge, and the pool of the generator that received it. */
export interface NudgedStack {
  readonly stack: StackId
  readonly seen?: ObservedHolder
  readonly pool: Pool
}

/** The result of a nudge, for the log. `elsewhere`: this environment serves another stack. */
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
  nudged: NudgedStack,
  time: RunLimit,
): Promise<ServeOutcome> {
  const { stack } = nudged
  const record = await server.platform.catalog.getStack(stack)
  if (record === undefined) return 'idle'
  // The previous generator may have crashed before it reported its result.
  if (record.current === '') await notifyEnded(server, stack)
  const served =
    record.current === ''
      ? await beginNext(server, stack, time)
      : await resumeOrWait(server, { nudged, deployment: record.current }, time)
  if (served === 'ended') await notifyEnded(server, stack)
  return served
}

/** Continues the current deployment of a stack if its holder is gone. */
async function resumeOrWait(
  server: StackServer,
  { nudged, deployment }: { readonly nudged: NudgedStack; readonly deployment: DeploymentId },
  time: RunLimit,
): Promise<ServeOutcome> {
  const { platform } = server
  const { stack } = nudged
  const control = await platform.control.read(deployment)
  if (control === undefined) return awaitControl(server, nudged, deployment)
  const leases = await platform.leases.list(deployment)
  if (!isHolderGone(control, leases, nudged.seen)) {
    // A holder keeps a watchdog nudge scheduled, but it may have died before the first one.
    if (nudged.seen === undefined)
      await armWatchdog(platform, deployment, seenHolderOf(control.holder, leases))
    return 'held'
  }
  if (control.handedOver?.pool === 'long' && nudged.pool === 'short')
    return passToPool(server, stack, { pool: 'long' })
  return resumeOrClose(
    withDeadHolder(server, control.holder, nudged.seen),
    { stack, deployment },
    time,
  )
}

/**
 * Handles a deployment without a control record: it was started a moment ago, or its starter died
 * at that moment.
 */
async function awaitControl(
  server: StackServer,
  { stack, seen }: NudgedStack,
  deployment: DeploymentId,
): Promise<ServeOutcome> {
  const unseenHolder: ObservedHolder = { life: deployment, renewals: -1 }
  if (seen?.life !== deployment) {
    await server.platform.nudges.nudge(stack, limits.watchdogNudgeMs, { seen: unseenHolder })
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
 * Returns the server with ports that treat one holder as dead and any other as alive. They contain
 * the lease counters of the nudge.
 */
function withDeadHolder(
  server: StackServer,
  dead: Holder,
  seen: ObservedHolder | undefined,
): StackServer {
  const isHolding = (holder: Holder): boolean => holder.started !== dead.started
  const stood = seen?.executors === undefined ? {} : { stood: seen.executors }
  return { ...server, ports: { ...server.ports, isHolding, ...stood } }
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
    const now = await platform.catalog.getStack(stack)
    // The deployment was stopped, and no living process would close it.
    if (now?.current === deployment)
      await ignoreTakenOver(closeDeadDeployment(ports, deployment, 'cancelled'))
    return 'ended'
  }
}

async function ignoreTakenOver(closing: Promise<void>): Promise<void> {
  await closing.catch(toHeldOutcome)
}

/** Another process was faster, with the same effect. */
function toHeldOutcome(thrown: unknown): 'held' {
  if (hasCode(thrown, 'DEPLOYMENT_TAKEN_OVER') || hasCode(thrown, 'STACK_BUSY')) return 'held'
  throw thrown
}

/**
 * Begins the first waiting request. A request that cannot begin is refused, and the next one
 * follows.
 */
async function beginNext(
  server: StackServer,
  stack: StackId,
  time: RunLimit,
): Promise<ServeOutcome> {
  let refused: ServeOutcome = 'idle'
  for (;;) {
    const [queued, next] = await server.requests.listWaiting(stack, 2)
    if (queued === undefined) return refused
    if (next !== undefined && isSuperseded(queued, next)) {
      await notifyAndEndRequest(server, queued, { kind: 'superseded', by: next.key })
      continue
    }
    if (server.mayServe?.(stack) === false) return 'elsewhere'
    const begun = await beginRequest(server, queued, time).catch(thrown =>
      refuseRequest(server, queued, thrown),
    )
    if (begun !== 'refused') return begun
    refused = 'refused'
  }
}

async function beginRequest(
  server: StackServer,
  queued: DeploymentRequest,
  time: RunLimit,
): Promise<ServeOutcome> {
  const request = await server.open(queued)
  if (queued.dryRun) {
    const served = await servePreview(server, request, queued)
    // A preview is not followed by a release that would nudge the next request, whose own nudge may
    // be used up by now.
    if ((await server.requests.listWaiting(queued.stack, 1)).length > 0)
      await server.platform.nudges.nudge(queued.stack, 0)
    return served
  }
  try {
    const end = await serveRun(server, request, {
      ...time,
      begin: async ports => {
        const started = await startDeployment(ports, request)
        await notifyStarted(server, started.deployment, queued)
        return started
      },
    })
    return end?.kind ?? 'idle'
  } catch (thrown) {
    return toHeldOutcome(thrown)
  }
}

/**
 * Ends a request with an error that its caller must correct. Errors of the store or this process
 * are retried. After the begin of a deployment, its own records contain the error.
 */
async function refuseRequest(
  server: StackServer,
  queued: DeploymentRequest,
  thrown: unknown,
): Promise<ServeOutcome> {
  const { stack, key } = queued
  const isTheirs = thrown instanceof DeployError && errorSourceOf(thrown) !== 'store'
  const kept = await server.requests.find(stack, key)
  if (!isTheirs || hasCode(thrown, 'LEASE_LOST') || kept?.end !== undefined) throw thrown
  const { code, message } = thrown
  await notifyAndEndRequest(server, queued, { kind: 'refused', code, message })
  server.platform.logger.write('warn', 'request.refused', { stack, key, code })
  return 'refused'
}

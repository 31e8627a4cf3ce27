/**
 * What a generator does about one stack that it was nudged for, in a process that knows nothing
 * else: goes on with the deployment that is there, or begins the next that somebody asked for. May
 * be called at any time, twice, or by two at once: the log has one writer.
 */
import { limits } from '../../shared/config/limits.ts'
import type { Pin } from '../../shared/engine/deployment/log-view.ts'
import { firstPinOf, requireRules } from '../../shared/engine/deployment/rules.ts'
import { closeDead } from '../../shared/engine/deployment/take-over.ts'
import type { DeployRequest } from '../../shared/engine/request.ts'
import { DeployError, hasCode } from '../../shared/errors/error.ts'
import type { NudgeAbout, SeenHolder } from '../../shared/ports/queue.ts'
import type { RequestsPort } from '../../shared/ports/requests.ts'
import type { DeploymentId, StackId } from '../../shared/records/ids.ts'
import type { Holder } from '../../shared/records/log.ts'
import type { DeploymentRequest } from '../../shared/records/request.ts'
import type { Pool } from '../../shared/records/pool.ts'
import { isSuperseded } from '../../shared/triggers/trigger-requests.ts'
import { producerOf } from '../../shared/providers/whose-error.ts'
import { armDeadMan, isGone, seenOf } from './dead-man.ts'
import { wakeDeployment } from './resume.ts'
import { type LifeDeps, type LifeTime, serveLife } from './serve-life.ts'
import { servePreview } from './serve-preview.ts'
import { startDeployment } from './start.ts'
import { endTold, tellEnded, type Telling, tellStarted } from './tell-result.ts'

/** What a generator that serves stacks asks of the outside. */
export interface StackServer extends LifeDeps {
  readonly requests: RequestsPort
  /** With what the ends of deployments are told; nobody is told where it is absent. */
  readonly tell?: Telling
  /** What a request of a stack's queue asks for. Throws when its program cannot be opened. */
  readonly open: (request: DeploymentRequest) => Promise<DeployRequest>
  /** What a deployment was asked with, found again by its pin. */
  readonly reopen: (deployment: DeploymentId, pin: Pin) => Promise<DeployRequest>
}

/** One nudge, and the pool of the generator that got it. */
export interface Nudged {
  readonly stack: StackId
  readonly seen?: SeenHolder
  readonly pool: Pool
}

/** What came of a nudge, for the log. `elsewhere`: this environment is for another stack. */
export type Served =
  | 'idle'
  | 'held'
  | 'ended'
  | 'left'
  | 'parked'
  | 'refused'
  | 'passed on'
  | 'elsewhere'

/** Serves one nudge. Throws what the store throws; the nudge is to come again then. */
export async function serveStack(
  server: StackServer,
  nudged: Nudged,
  time: LifeTime,
): Promise<Served> {
  const { stack } = nudged
  const record = await server.platform.catalog.stack(stack)
  if (record === undefined) return 'idle'
  // Who ended the last one may have died before it could say so.
  if (record.current === '') await tellEnded(server, stack)
  const served =
    record.current === ''
      ? await beginNext(server, stack, time)
      : await goOnOrWait(server, { nudged, deployment: record.current }, time)
  if (served === 'ended') await tellEnded(server, stack)
  return served
}

/** Goes on with the current deployment of a stack, if nobody holds it any more. */
async function goOnOrWait(
  server: StackServer,
  { nudged, deployment }: { readonly nudged: Nudged; readonly deployment: DeploymentId },
  time: LifeTime,
): Promise<Served> {
  const { platform } = server
  const { stack } = nudged
  const control = await platform.control.read(deployment)
  if (control === undefined) return awaitControl(server, nudged, deployment)
  const leases = await platform.leases.list(deployment)
  if (!isGone(control, leases, nudged.seen)) {
    // Who holds it keeps a nudge ahead of itself; it may have died before the first.
    if (nudged.seen === undefined)
      await armDeadMan(platform, deployment, seenOf(control.holder, leases))
    return 'held'
  }
  if (control.handedOver?.pool === 'long' && nudged.pool === 'short')
    return passOn(server, stack, { pool: 'long' })
  return goOn(judging(server, control.holder, nudged.seen), { stack, deployment }, time)
}

/** The deployment was started a moment ago, or who started it died in that moment. */
async function awaitControl(
  server: StackServer,
  { stack, seen }: Nudged,
  deployment: DeploymentId,
): Promise<Served> {
  const nobody: SeenHolder = { life: deployment, renewals: -1 }
  if (seen?.life !== deployment) {
    await server.platform.nudges.nudge(stack, limits.deadManNudgeMs, { seen: nobody })
    return 'held'
  }
  await closeDead({ ...server.ports, isHolding: () => false }, deployment)
  return 'ended'
}

async function passOn(
  { platform }: StackServer,
  stack: StackId,
  about: NudgeAbout,
): Promise<Served> {
  await platform.nudges.nudge(stack, 0, about)
  return 'passed on'
}

/**
 * The server with ports that take one holder for dead, and any other for living; and executors that
 * stand as they were seen.
 */
function judging(server: StackServer, dead: Holder, seen: SeenHolder | undefined): StackServer {
  const isHolding = (holder: Holder): boolean => holder.started !== dead.started
  const stood = seen?.executors === undefined ? {} : { stood: seen.executors }
  return { ...server, ports: { ...server.ports, isHolding, ...stood } }
}

/** Goes on with a deployment that nobody holds, or closes it. */
async function goOn(
  server: StackServer,
  { stack, deployment }: { readonly stack: StackId; readonly deployment: DeploymentId },
  time: LifeTime,
): Promise<Served> {
  const { platform, ports } = server
  const pin = await firstPinOf(platform, deployment)
  if (pin === undefined) {
    await unlessOthersDo(closeDead(ports, deployment))
    return 'ended'
  }
  requireRules(deployment, pin)
  if (server.mayServe?.(stack) === false) return 'elsewhere'
  const request = await server.reopen(deployment, pin)
  try {
    const end = await serveLife(server, request, {
      ...time,
      deployment,
      begin: asked => wakeDeployment(asked, request),
    })
    return end === undefined ? 'parked' : end.kind
  } catch (thrown) {
    if (!hasCode(thrown, 'NOTHING_TO_RESUME')) return othersDid(thrown)
    const now = await platform.catalog.stack(stack)
    // It was told to stop, and nobody lives who would close it.
    if (now?.current === deployment) await unlessOthersDo(closeDead(ports, deployment, 'cancelled'))
    return 'ended'
  }
}

async function unlessOthersDo(closing: Promise<void>): Promise<void> {
  await closing.catch(othersDid)
}

/** Somebody else was faster, which is as good. */
function othersDid(thrown: unknown): 'held' {
  if (hasCode(thrown, 'DEPLOYMENT_TAKEN_OVER') || hasCode(thrown, 'STACK_BUSY')) return 'held'
  throw thrown
}

/** Begins what was asked for first; what cannot be begun is refused, and the next one looked at. */
async function beginNext(server: StackServer, stack: StackId, time: LifeTime): Promise<Served> {
  let refused: Served = 'idle'
  for (;;) {
    const [asked, next] = await server.requests.waiting(stack, 2)
    if (asked === undefined) return refused
    if (next !== undefined && isSuperseded(asked, next)) {
      await endTold(server, asked, { kind: 'superseded', by: next.key })
      continue
    }
    if (server.mayServe?.(stack) === false) return 'elsewhere'
    const begun = await begin(server, asked, time).catch(thrown => refuse(server, asked, thrown))
    if (begun !== 'refused') return begun
    refused = 'refused'
  }
}

async function begin(
  server: StackServer,
  asked: DeploymentRequest,
  time: LifeTime,
): Promise<Served> {
  const request = await server.open(asked)
  if (asked.dryRun) {
    const served = await servePreview(server, request, asked)
    // No release follows a preview that would wake the next, whose own nudge may be used up by now.
    if ((await server.requests.waiting(asked.stack, 1)).length > 0)
      await server.platform.nudges.nudge(asked.stack, 0)
    return served
  }
  try {
    const end = await serveLife(server, request, {
      ...time,
      begin: async ports => {
        const started = await startDeployment(ports, request)
        await tellStarted(server, started.deployment, asked)
        return started
      },
    })
    return end?.kind ?? 'idle'
  } catch (thrown) {
    return othersDid(thrown)
  }
}

/**
 * What the asker must correct ends the request; what the store or this process has to answer for
 * is tried again. Once the deployment has begun its own records say what went wrong.
 */
async function refuse(
  server: StackServer,
  asked: DeploymentRequest,
  thrown: unknown,
): Promise<Served> {
  const { stack, key } = asked
  const isTheirs = thrown instanceof DeployError && producerOf(thrown) !== 'store'
  const kept = await server.requests.find(stack, key)
  if (!isTheirs || hasCode(thrown, 'LEASE_LOST') || kept?.end !== undefined) throw thrown
  const { code, message } = thrown
  await endTold(server, asked, { kind: 'refused', code, message })
  server.platform.journal.write('warn', 'request.refused', { stack, key, code })
  return 'refused'
}

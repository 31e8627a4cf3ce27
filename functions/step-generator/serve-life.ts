import type { EventSink } from '../../shared/engine/events/event.ts'
import { createEventRecorder } from '../../shared/engine/events/recorder.ts'
import { keepLease } from '../../shared/engine/executor/lease.ts'
import type { DeployRequest } from '../../shared/engine/request.ts'
import { limits } from '../../shared/config/limits.ts'
import { error } from '../../shared/errors/error.ts'
import type { DeploymentId, StackId } from '../../shared/records/ids.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import {
  type Asked,
  type Hosts,
  surround,
  type Surroundings,
  tearDown,
} from '../surroundings/surround.ts'
import type { FetchPlugin } from '../surroundings/plugin-folder.ts'
import type { OpenState } from '../surroundings/read-stack.ts'
import { patiently } from '../surroundings/patient.ts'
import { createToldOnce } from '../surroundings/told-once.ts'
import { leaseIdOf } from '../../shared/engine/deployment/generator-lease.ts'
import { keepDeadManArmed } from './dead-man.ts'
import { countsIn, earlierEvents } from './earlier-lives.ts'
import { type LifeEnd, runDeployment } from './handle.ts'
import { summary } from './result.ts'
import { settleIn, shownConfig } from './settle-in.ts'
import type { GeneratorPorts, StartedDeployment } from './start.ts'
import { tellHindrance, tellLeft, tellStart } from './tell.ts'
import { watchStop } from './watch-stop.ts'

/** How long a life may last: one without a limit until its deployment has ended. */
export interface LifeTime {
  readonly limitMs?: number
  /** Aborts when the process is to leave the deployment to another one. */
  readonly leave?: AbortSignal
}

/** What one life is made of. */
export interface LifeDeps {
  readonly platform: Platform
  readonly ports: GeneratorPorts
  /** What a test brings of its own; the real ones otherwise. */
  readonly hosts?: () => Hosts
  /** The environment of a stack's program and plugins; that of this process where it is absent. */
  readonly environmentOf?: (request: DeployRequest) => Promise<Readonly<Record<string, string>>>
  /** Whether this environment may work for a stack; for any where it is absent. */
  readonly mayServe?: (stack: StackId) => boolean
  /** Puts plugins that are nowhere into the plugin cache of that environment. */
  readonly fetchPlugin?: FetchPlugin
  /** Opens secrets of other stacks. */
  readonly openState?: OpenState
}

/** What a run is asked with, with the environment of its stack. Throws STACK_ROLE_REFUSED. */
export async function inEnvironment(deps: LifeDeps, asked: Asked): Promise<Asked> {
  const { environmentOf, fetchPlugin, openState } = deps
  const fetched = {
    ...asked,
    ...(fetchPlugin === undefined ? {} : { fetchPlugin }),
    ...(openState === undefined ? {} : { openState }),
  }
  if (environmentOf === undefined) return fetched
  return { ...fetched, environment: await environmentOf(asked.request) }
}

/**
 * Runs one life of the generator in a process that knows nothing of the lives before and after it:
 * `begin` starts the deployment or takes it over. The operations are others' affair. What earlier
 * lives told is not told again, and the last one sums up for all. Answers undefined when `begin`
 * does: there was nothing to do.
 */
export async function serveLife(
  deps: LifeDeps,
  request: DeployRequest,
  about: LifeTime & {
    /** The deployment that is taken over: this life says that it lives before it looks at it. */
    readonly deployment?: DeploymentId
    readonly begin: (ports: GeneratorPorts) => Promise<StartedDeployment | undefined>
  },
): Promise<LifeEnd | undefined> {
  const { limitMs, leave } = about
  const said = (message: string): void =>
    deps.platform.journal.write('warn', 'store.refused', { message })
  const nobody: EventSink = { emit: () => undefined }
  const timed: DeployRequest = {
    ...request,
    ...(limitMs === undefined ? {} : { functionLimitMs: limitMs }),
    ...(leave === undefined ? {} : { leave }),
  }
  const given = { ...deps, request: timed, sink: nobody }
  const asked = patiently(given, { isWorthIt: () => true, said })
  const known = about.deployment
  // A role that refuses the stack is known before a deployment begins.
  const placed = await inEnvironment(deps, asked).catch(async (thrown: unknown) => {
    if (known !== undefined) await tellHindrance(deps, known, thrown)
    throw thrown
  })
  // Should this life die before it has a lease, somebody is to look again.
  await deps.platform.nudges.nudge(request.stack, limits.deadManNudgeMs)
  const before = known === undefined ? undefined : await livingOn(asked, known)
  const started = await about.begin(asked.ports).catch(async (thrown: unknown) => {
    await before?.end()
    throw thrown
  })
  if (started === undefined) {
    await before?.end()
    return undefined
  }
  const { deployment, left } = started
  asked.ports.here?.add(deployment)
  const living = before ?? (await livingOn(asked, deployment))
  const recorder = createEventRecorder(asked.platform, deployment, `generator-${lifeOf(asked)}`)
  const earlier = left === undefined ? [] : await earlierEvents(asked.platform, deployment)
  const sink = createToldOnce(recorder, earlier)()
  const counted = countsIn(earlier)
  const surroundings = await surround({ ...placed, sink, counted }).catch(async thrown => {
    asked.ports.here?.delete(deployment)
    await living.end()
    await recorder.flush()
    throw thrown
  })
  living.runs(surroundings)
  try {
    if (left === undefined) sink.emit({ preludeEvent: { config: shownConfig(request) } })
    tellStart(surroundings.emitter, started)
    const life = { surroundings, started, time: about, hush: sink.close }
    const end = await livedThrough({ ...asked, sink }, life)
    if (end.kind === 'left') tellLeft({ ...asked, sink: recorder }, { end, number: 1 })
    return end
  } finally {
    asked.ports.here?.delete(deployment)
    await living.end()
    await tearDown(surroundings)
    await recorder.flush()
  }
}

/** What says to others that a life lives: its lease, and the nudge that it keeps ahead. */
async function livingOn({ platform, ports }: Asked, deployment: DeploymentId) {
  let surroundings: Surroundings | undefined
  const lost = error('LEASE_LOST', 'the lease could not be renewed')
  const lease = await keepLease(
    {
      leases: platform.leases,
      clock: platform.clock,
      groups: () => surroundings?.processes.groups() ?? [],
      lost: () => surroundings?.life.abort(lost),
    },
    { deployment, executor: leaseIdOf(ports.holder), holder: ports.holder },
  )
  const disarm = keepDeadManArmed(platform, deployment, ports.holder)
  return {
    /** From now on its processes are named, and it ends when the lease is lost. */
    runs(now: Surroundings): void {
      surroundings = now
      if (!lease.holds()) now.life.abort(lost)
    },
    async end(): Promise<void> {
      disarm()
      await lease.end()
    },
  }
}

/** The life itself. */
async function livedThrough(
  asked: Asked,
  about: {
    readonly surroundings: Surroundings
    readonly started: StartedDeployment
    readonly time: LifeTime
    /** That its program is killed when it leaves is nothing that went wrong. */
    readonly hush: () => void
  },
): Promise<LifeEnd> {
  const { platform, ports } = asked
  const { surroundings, started, time, hush } = about
  const { deployment } = started
  const startedMs = platform.clock.monotonicMs()
  settleIn(asked.request, surroundings, started)
  const stopping = stoppedBy(asked, surroundings, deployment)
  try {
    const end = await runDeployment(ports, started, surroundings.life, {
      isCancelled: stopping.isCancelled,
      told: surroundings.told,
      rebase: base => {
        surroundings.baseNow.current = base
      },
      endProgram() {
        hush()
        return surroundings.processes.close()
      },
      ...(time.limitMs === undefined ? {} : { limitMs: time.limitMs }),
      ...(time.leave === undefined ? {} : { leave: time.leave }),
    })
    if (end.kind === 'ended') {
      const nowMs = platform.clock.monotonicMs()
      summary(surroundings, { startedMs, nowMs, result: end.result, isPreview: false })
    }
    return end
  } finally {
    stopping.end()
  }
}

/** A person's stop, graceful or forced, as it reaches a life. */
function stoppedBy(
  asked: Asked,
  surroundings: Surroundings,
  deployment: StartedDeployment['deployment'],
): { readonly isCancelled: () => boolean; readonly end: () => void } {
  const { life, plugins, processes } = surroundings
  let isCancelled = false
  let isForced = false
  const end = watchStop(asked, deployment, forced => {
    if (!isCancelled && !life.hasStopped()) {
      isCancelled = true
      life.abort()
      void plugins.cancelAll()
    }
    if (!forced || isForced) return
    isForced = true
    plugins.abandon()
    void processes.close()
  })
  return { isCancelled: () => isCancelled, end }
}

function lifeOf({ ports }: Asked): string {
  return ports.holder.started
}

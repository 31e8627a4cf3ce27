/**
 * step-generator: decides. Takes a trigger, makes or takes over the deployment of a stack, pins its
 * base, runs its command, and closes it. Executors do what it decided; compaction publishes what
 * came of it. The same handler on every platform.
 */
import { messageOf } from '../../shared/errors/error.ts'
import type { CommandDeps } from '../../shared/engine/commands/command-deps.ts'
import { deployCommand } from '../../shared/engine/commands/deploy-command.ts'
import type { Life } from '../../shared/engine/commands/life.ts'
import type { Base } from '../../shared/engine/deployment/base.ts'
import { chainsOf } from '../../shared/engine/deployment/chains-of.ts'
import { finishClose } from '../../shared/engine/deployment/close.ts'
import { createEndWatcher } from '../../shared/engine/deployment/end-watcher.ts'
import { type LifeNow, untilHandOver } from '../../shared/engine/deployment/hand-over.ts'
import { viewLog } from '../../shared/engine/deployment/log-view.ts'
import { type Pace, paceOf } from '../../shared/engine/deployment/pace.ts'
import { chainSlots } from '../../shared/engine/deployment/at-once.ts'
import { awaitRunning } from '../../shared/engine/deployment/await-running.ts'
import { releaserOf } from '../../shared/engine/executor/releaser.ts'
import { createSealing } from '../../shared/engine/deployment/sealing.ts'
import { keepSweeping } from '../../shared/engine/deployment/sweeper.ts'
import { Bail } from '../../shared/engine/generator/context.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import type { DeploymentResult } from '../../shared/records/log.ts'
import type { HandOver } from '../../shared/records/pool.ts'
import { foldOf } from '../compaction/handle.ts'
import { leave } from './leave.ts'
import type { GeneratorPorts, StartedDeployment } from './start.ts'

/** What a life came to: the deployment ended, or the next life goes on with it. */
export type LifeEnd =
  | {
      readonly kind: 'ended'
      readonly result: DeploymentResult
      /** A fault of the surroundings, such as a full disk, that the caller must see. */
      readonly fault: unknown
    }
  | { readonly kind: 'left'; readonly handOver: HandOver; readonly decided: number }

/** What runs beside the generator in this process. */
export interface Beside {
  readonly isCancelled: () => boolean
  /** Operations of which an executor of this process has told. */
  readonly told: Set<OperationId>
  readonly rebase: (base: Base) => void
  /** How long this life may last, in ms; without it, it lasts until the deployment has ended. */
  readonly limitMs?: number
  /** Aborts when it is to leave the deployment to another process. */
  readonly leave?: AbortSignal
  /** Ends the program and the plugins of this life at once, without a word to them. */
  readonly endProgram: () => Promise<void>
}

/** Runs the command of a started deployment and closes it, or leaves it to the next life. */
export async function runDeployment(
  given: GeneratorPorts,
  started: StartedDeployment,
  life: Life,
  beside: Beside,
): Promise<LifeEnd> {
  const { deployment, liveness, pin } = started
  const ports = { ...given, chains: chainsOf(pin.options, given.chains) }
  const leaving = { hasLeft: false, isClosing: false, isStopping: false }
  const { deps, pace } = commandDeps(ports, started, { life, beside, leaving })
  const { writer, watcher } = deps
  const sweeping = keepSweeping({ ...ports, deployment, liveness })
  life.aborted
    .then(() => runOut(deps))
    .catch(thrown => {
      life.abort(thrown)
      // Without the store nobody learns any more how the rest ends: whoever waits is told so.
      return watcher.settle(thrown)
    })
  const over = new AbortController()
  try {
    const commanded = commandOrFault(deps, started.base)
    const due = untilHandOver(
      ports.clock,
      () => (leaving.isStopping ? undefined : lifeNow({ deps, pace, started }, beside)),
      over.signal,
    )
    const first = await Promise.race([commanded, due])
    leaving.hasLeft = typeof first !== 'boolean'
    over.abort()
    // What ends from here on is news to the next life.
    const [ended, awaited] = [pace.known(), watcher.open()]
    await sweeping.end()
    if (typeof first !== 'boolean') {
      const handOver = { ...first, ended }
      const { endProgram } = beside
      await leave(ports, { deployment, writer, watcher, awaited, endProgram }, handOver)
      return { kind: 'left', handOver, decided: pace.decided() }
    }
    const isWhole = first && !life.hasFailed() && life.fault() === undefined
    const result = beside.isCancelled() ? 'cancelled' : isWhole ? 'succeeded' : 'failed'
    leaving.isClosing = true
    await writer.append({ kind: 'closing', result })
    await finishClose(ports, deployment, { liveness, changes: life.emitter.counts() })
    return { kind: 'ended', result, fault: life.fault() }
  } finally {
    over.abort()
    void sweeping.end()
    watcher.close()
  }
}

/** What commands need, and the pace at which this life goes through it. */
function commandDeps(
  ports: GeneratorPorts,
  started: StartedDeployment,
  about: {
    readonly life: Life
    readonly beside: Beside
    readonly leaving: {
      readonly hasLeft: boolean
      readonly isClosing: boolean
      isStopping: boolean
    }
  },
): { readonly deps: CommandDeps; readonly pace: Pace } {
  const { deployment, liveness, left, pin } = started
  const { life, beside, leaving } = about
  const before: CommandDeps['before'] = left?.before ?? new Map()
  const watcher = createEndWatcher(ports, deployment)
  const seen = { writer: started.writer, watcher, recorded: left?.recorded }
  const { pace, paced } = paceOf(ports.clock, seen, { before, joins: left?.joins ?? 0 })
  let last = left?.last ?? 0
  let stopping: Promise<void> | undefined
  const deps: CommandDeps = {
    ...ports,
    ...paced,
    clock: untilLeft(ports.clock, leaving),
    deployment,
    liveness,
    life,
    pin,
    before,
    emitter: life.emitter,
    told: beside.told,
    sealing: createSealing(life.request.secrets),
    slots: chainSlots(pin),
    recorded: paced.recorded,
    hooks: life.monitor.hooks,
    afterFailed: life.afterFailed,
    release: releaserOf(ports, deployment),
    nextId: () => {
      last += 1
      return last as OperationId
    },
    foldNow: async () => foldOf(ports, deployment, await viewLog(ports, deployment)),
    rebase: beside.rebase,
    async stop() {
      // Who has left stops nobody: the deployment is another's.
      if (leaving.hasLeft) return new Promise(() => undefined)
      // The close sets the flag by itself, after its own record.
      if (leaving.isClosing) return
      leaving.isStopping = true
      // Who was deposed fails here: the flag would stop its successor.
      await (stopping ??= started.writer.append({ kind: 'phase', phase: 'stopping' }))
      life.noteStop()
      await ports.control.stop(deployment, 'graceful')
    },
  }
  return { deps, pace }
}

/** A clock that stands still for who has left: whatever waits in its loops ends there. */
function untilLeft(clock: ClockPort, leaving: { readonly hasLeft: boolean }): ClockPort {
  return {
    ...clock,
    async sleep(ms, signal) {
      await clock.sleep(ms, signal)
      if (leaving.hasLeft) await new Promise(() => undefined)
    },
  }
}

/**
 * How a life stands that may have to leave; undefined when it is to see the deployment to its end:
 * so does one that stopped it, for no other may go on with what was stopped.
 */
function lifeNow(
  now: {
    readonly deps: CommandDeps
    readonly pace: Pace
    readonly started: StartedDeployment
  },
  { limitMs = Infinity, leave }: Beside,
): LifeNow | undefined {
  const { deps, pace, started } = now
  const isAsked = leave?.aborted === true
  if ((limitMs === Infinity && !isAsked) || deps.life.isAborted()) return undefined
  const hasNews = deps.before.size > (started.handedOver?.ended ?? 0)
  // Of what was registered only a program that runs again asks.
  const hasCaughtUp = pace.unseen() === 0 || deps.recorded?.programEnded !== undefined
  const awaited = deps.watcher.open().length
  // A hook that runs would only be run again by the next life.
  const isLooking = started.liveness.isOverdue() || deps.hooks.isBusy()
  return { isAsked, limitMs, pace, hasNews, awaited, isLooking, hasCaughtUp }
}

/**
 * After an early end nothing more begins; what runs is awaited, and who waits for the rest is told.
 */
async function runOut(deps: CommandDeps): Promise<void> {
  await deps.stop()
  await awaitRunning(deps, deps.watcher.open())
  await deps.watcher.settle(new Bail())
}

/** A fault ends the command, not the close: what was done is still recorded, if the store can. */
async function commandOrFault(deps: CommandDeps, base: Base): Promise<boolean> {
  try {
    return await deployCommand(deps, base)
  } catch (thrown) {
    // What ended the deployment early was told already.
    if (thrown instanceof Bail) return false
    deps.life.abort(thrown)
    deps.emitter.diagnostic('error', messageOf(thrown))
    return false
  }
}

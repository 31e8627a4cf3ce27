/**
 * step-generator: makes the decisions. It takes a trigger, starts or takes over the deployment of a
 * stack, pins its base, runs its command, and closes it. Executors run the decided operations, and
 * compaction publishes the result. Every platform uses the same handler.
 */
import { messageOf } from '../../shared/errors/error.ts'
import type { CommandDeps } from '../../shared/engine/commands/command-deps.ts'
import { deployCommand } from '../../shared/engine/commands/deploy-command.ts'
import type { CommandRun } from '../../shared/engine/commands/command-run.ts'
import type { Base } from '../../shared/engine/deployment/state/base.ts'
import { adaptChainQueue } from '../../shared/engine/deployment/dispatch/adapt-chain-queue.ts'
import { finishClose } from '../../shared/engine/deployment/ownership/close.ts'
import { createEndWatcher } from '../../shared/engine/deployment/ends/end-watcher.ts'
import {
  type RunStatus,
  waitForHandOver,
} from '../../shared/engine/deployment/ownership/hand-over.ts'
import { readLogView } from '../../shared/engine/deployment/log/log-view.ts'
import {
  type RunProgress,
  trackProgress,
} from '../../shared/engine/deployment/ends/progress-tracker.ts'
import { createChainSlots } from '../../shared/engine/deployment/dispatch/concurrency-limit.ts'
import { awaitRunning } from '../../shared/engine/deployment/ends/await-running.ts'
import { createReleaser } from '../../shared/engine/executor/generator-releaser.ts'
import { createSealing } from '../../shared/engine/deployment/state/state-sealing.ts'
import { startSweeping } from '../../shared/engine/deployment/recovery/sweeper.ts'
import { Bail } from '../../shared/engine/generator/finish-stage.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import type { DeploymentResult } from '../../shared/records/log.ts'
import type { HandOver } from '../../shared/records/pool.ts'
import { foldLog } from '../../shared/runtime/compaction/fold-and-publish.ts'
import { handOverDeployment } from './hand-over.ts'
import type { StartedDeployment } from './start-deployment.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'

/** The result of a generator run: the deployment ended, or the next generator run continues it. */
export type RunEnd =
  | {
      readonly kind: 'ended'
      readonly result: DeploymentResult
      /** A fault of the environment, such as a full disk, that the caller must see. */
      readonly fault: unknown
    }
  | { readonly kind: 'left'; readonly handOver: HandOver; readonly decided: number }

/** The other parts of this process beside the generator. */
export interface RunOptions {
  readonly isCancelled: () => boolean
  /** Operations that an executor of this process has reported. */
  readonly reported: Set<OperationId>
  readonly rebase: (base: Base) => void
  /** Time limit of this generator run, in ms. Absent: it runs until the deployment has ended. */
  readonly limitMs?: number
  /** Aborts when it must hand the deployment over to another process. */
  readonly leave?: AbortSignal
  /**
   * Kills the program and the plugins of this generator run at once, without a shutdown request.
   */
  readonly endProgram: () => Promise<void>
}

/**
 * Runs the command of a started deployment and closes it, or hands it over to the next generator
 * run.
 */
export async function runDeployment(
  basePorts: GeneratorPorts,
  started: StartedDeployment,
  run: CommandRun,
  options: RunOptions,
): Promise<RunEnd> {
  const { deployment, liveness, pin } = started
  const ports = { ...basePorts, chains: adaptChainQueue(pin.options, basePorts.chains) }
  const leaving = { hasLeft: false, isClosing: false, isStopping: false }
  const { deps, pace } = createCommandDeps(ports, started, { run, options, leaving })
  const { writer, watcher } = deps
  const sweeping = startSweeping({ ...ports, deployment, liveness })
  run.aborted
    .then(() => drainRunning(deps))
    .catch(thrown => {
      run.abort(thrown)
      // Without the store, the remaining ends cannot be read, so all waits are rejected.
      return watcher.settle(thrown)
    })
  const over = new AbortController()
  try {
    const commanded = runCommandOrFault(deps, started.base)
    const due = waitForHandOver(
      ports.clock,
      () => (leaving.isStopping ? undefined : readRunProgress({ deps, pace, started }, options)),
      over.signal,
    )
    const first = await Promise.race([commanded, due])
    leaving.hasLeft = typeof first !== 'boolean'
    over.abort()
    // Ends after this point are news for the next generator run.
    const [ended, awaited] = [pace.knownEndCount(), watcher.openWaits()]
    await sweeping.end()
    if (typeof first !== 'boolean') {
      const handOver = { ...first, ended }
      const { endProgram } = options
      await handOverDeployment(
        ports,
        { deployment, writer, watcher, awaited, endProgram },
        handOver,
      )
      return { kind: 'left', handOver, decided: pace.decidedCount() }
    }
    const isWhole = first && !run.hasFailed() && run.readFault() === undefined
    const result = options.isCancelled() ? 'cancelled' : isWhole ? 'succeeded' : 'failed'
    leaving.isClosing = true
    await writer.append({ kind: 'closing', result })
    await finishClose(ports, deployment, { liveness, changes: run.emitter.readCounts() })
    return { kind: 'ended', result, fault: run.readFault() }
  } finally {
    over.abort()
    void sweeping.end()
    watcher.close()
  }
}

/** Creates the dependencies of commands, and the progress of this generator run. */
function createCommandDeps(
  ports: GeneratorPorts,
  started: StartedDeployment,
  context: {
    readonly run: CommandRun
    readonly options: RunOptions
    readonly leaving: {
      readonly hasLeft: boolean
      readonly isClosing: boolean
      isStopping: boolean
    }
  },
): { readonly deps: CommandDeps; readonly pace: RunProgress } {
  const { deployment, liveness, left, pin } = started
  const { run, options, leaving } = context
  const earlierEnds: CommandDeps['earlierEnds'] = left?.earlierEnds ?? new Map()
  const watcher = createEndWatcher(ports, deployment)
  const seen = { writer: started.writer, watcher, recorded: left?.recorded }
  const { progress, tracked } = trackProgress(ports.clock, seen, {
    earlierEnds,
    joinCount: left?.joinCount ?? 0,
  })
  let last = left?.lastOperationId ?? 0
  let stopping: Promise<void> | undefined
  const deps: CommandDeps = {
    ...ports,
    ...tracked,
    clock: createStoppableClock(ports.clock, leaving),
    deployment,
    liveness,
    run,
    pin,
    earlierEnds,
    emitter: run.emitter,
    reported: options.reported,
    sealing: createSealing(run.request.secrets),
    slots: createChainSlots(pin),
    recorded: tracked.recorded,
    hooks: run.monitor.hooks,
    onHookFailed: run.onHookFailed,
    releaseWaiters: createReleaser(ports, deployment),
    nextId: () => {
      last += 1
      return last as OperationId
    },
    foldLog: async () => foldLog(ports, deployment, await readLogView(ports, deployment)),
    onRebase: options.rebase,
    async raiseStop() {
      // After a hand-over the deployment belongs to another generator, so it is not stopped here.
      if (leaving.hasLeft) return new Promise(() => undefined)
      // The close sets the flag itself, after its own record.
      if (leaving.isClosing) return
      leaving.isStopping = true
      // A deposed generator fails here; otherwise its flag would stop its successor.
      await (stopping ??= started.writer.append({ kind: 'phase', phase: 'stopping' }))
      run.recordStop()
      await ports.control.stop(deployment, 'graceful')
    },
  }
  return { deps, pace: progress }
}

/** Returns a clock that stops after a hand-over. Every loop that sleeps ends there. */
function createStoppableClock(clock: ClockPort, leaving: { readonly hasLeft: boolean }): ClockPort {
  return {
    ...clock,
    async sleep(ms, signal) {
      await clock.sleep(ms, signal)
      if (leaving.hasLeft) await new Promise(() => undefined)
    },
  }
}

/**
 * Returns the status for the decision about a hand-over. Undefined when this generator run must
 * complete the deployment. This includes a run that stopped it, because no other one may continue a
 * stopped deployment.
 */
function readRunProgress(
  now: {
    readonly deps: CommandDeps
    readonly pace: RunProgress
    readonly started: StartedDeployment
  },
  { limitMs = Infinity, leave }: RunOptions,
): RunStatus | undefined {
  const { deps, pace: progress, started } = now
  const isLeaveRequested = leave?.aborted === true
  if ((limitMs === Infinity && !isLeaveRequested) || deps.run.isAborted()) return undefined
  const hasNews = deps.earlierEnds.size > (started.handedOver?.ended ?? 0)
  // Only a program that runs again awaits the ends of its registrations.
  const hasCaughtUp = progress.unseenEndCount() === 0 || deps.recorded?.programEnded !== undefined
  const awaited = deps.watcher.openWaits().length
  // The next generator run would have to run a running hook again.
  const isObserving = started.liveness.isOverdue() || deps.hooks.isBusy()
  return { isLeaveRequested, limitMs, progress, hasNews, awaited, isObserving, hasCaughtUp }
}

/**
 * Waits for running operations after an early end, and rejects all other waits. No further
 * operation begins.
 */
async function drainRunning(deps: CommandDeps): Promise<void> {
  await deps.raiseStop()
  await awaitRunning(deps, deps.watcher.openWaits())
  await deps.watcher.settle(new Bail())
}

/**
 * Runs the command. A fault ends the command but not the close: completed work is still recorded if
 * the store works.
 */
async function runCommandOrFault(deps: CommandDeps, base: Base): Promise<boolean> {
  try {
    return await deployCommand(deps, base)
  } catch (thrown) {
    // The reason of the early end was reported already.
    if (thrown instanceof Bail) return false
    deps.run.abort(thrown)
    deps.emitter.report('error', messageOf(thrown))
    return false
  }
}

/**
 * step-generator: makes the decisions. It starts the deployment of a request or takes over a
 * deployment, pins the base, runs the command, and closes the deployment. Executors run the decided
 * operations, and compaction publishes the result. Every platform uses the same handler.
 */
import { messageOf } from '../../shared/errors/error.ts'
import type { CommandDeps } from '../../shared/engine/commands/command-deps.ts'
import { deployCommand } from '../../shared/engine/commands/deploy-command.ts'
import type { CommandRun } from '../../shared/engine/commands/command-run.ts'
import type { Base } from '../../shared/engine/deployment/state/base.ts'
import { adaptChainQueue } from '../../shared/engine/deployment/dispatch/adapt-chain-queue.ts'
import { finishClose } from '../../shared/engine/deployment/ownership/finish-close.ts'
import { createEndWatcher } from '../../shared/engine/deployment/ends/end-watcher.ts'
import {
  type RunStatus,
  waitForHandOver,
} from '../../shared/engine/deployment/ownership/decide-hand-over.ts'
import { readLogView } from '../../shared/engine/deployment/log/log-view.ts'
import {
  type RunProgress,
  trackProgress,
} from '../../shared/engine/deployment/ends/progress-tracker.ts'
import { createChainSlots } from '../../shared/engine/deployment/dispatch/parallel-limit.ts'
import { awaitRunningOperations } from '../../shared/engine/deployment/ends/await-running.ts'
import { createWaiterReleaser } from '../../shared/engine/executor/waiter-releaser.ts'
import { createSealing } from '../../shared/engine/deployment/state/state-sealing.ts'
import { retriesCreateAsUpdate } from '../../shared/engine/deployment/log/supported-rules.ts'
import { startSweeping } from '../../shared/engine/deployment/recovery/sweeper.ts'
import { DeploymentAborted } from '../../shared/engine/generator/finish-stage.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import type { DeploymentResult } from '../../shared/records/log.ts'
import type { HandOver } from '../../shared/records/pool.ts'
import { foldLog } from '../../shared/runtime/compaction/fold-and-publish.ts'
import { handOverDeployment } from './hand-over-deployment.ts'
import type { StartedDeployment } from './start-deployment.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'

/** The result of a generator run: the deployment ended, or the next generator run continues it. */
export type RunEnd =
  | {
      readonly kind: 'ended'
      readonly result: DeploymentResult
      /**
       * A fault of the environment, such as a full disk, that the caller must see. Undefined: none.
       */
      readonly abortError: unknown
    }
  | { readonly kind: 'handed over'; readonly handOver: HandOver; readonly decidedCount: number }

/** The connections of a generator run to the other parts of its process. */
export interface RunOptions {
  /**
   * Decides whether the deployment counts as cancelled. Called once, when the result is decided.
   * Later cancellations have no effect.
   */
  readonly decideIsCancelled: () => boolean
  /** The operations for which an executor of this process has emitted the events of the step. */
  readonly reportedOperations: Set<OperationId>
  /** Called when this run pins a new base, for other users of the base in this process. */
  readonly onRebase: (base: Base) => void
  /** Time limit of this generator run, in ms. Absent: it runs until the deployment has ended. */
  readonly limitMs?: number
  /**
   * Reports whether this process runs operations of the deployment, which a parked generator could
   * not complete.
   */
  readonly areOperationsRunning: () => boolean
  /** Aborts when this generator run must hand the deployment over to another process. */
  readonly handOverSignal?: AbortSignal
  /**
   * Waits a short time for operations that this process runs. Then kills the program and the
   * plugins of this generator run, without a shutdown request.
   */
  readonly endProgram: () => Promise<void>
}

/**
 * Runs the command of a started deployment and closes it, or hands it over to the next generator
 * run.
 */
export async function runDeployment(
  basePorts: GeneratorPorts,
  startedDeployment: StartedDeployment,
  run: CommandRun,
  options: RunOptions,
): Promise<RunEnd> {
  const { deployment, liveness, pin } = startedDeployment
  const ports = { ...basePorts, chains: adaptChainQueue(pin.options, basePorts.chains) }
  const runFlags = { hasHandedOver: false, isClosing: false, isStopping: false }
  const { deps, runProgress } = createCommandDeps(ports, startedDeployment, {
    run,
    options,
    runFlags,
  })
  const { writer, watcher } = deps
  const sweeper = startSweeping({ ...ports, deployment, liveness })
  run.whenAborted
    .then(() => stopAndAwaitRunning(deps))
    .catch(thrown => {
      run.abort(thrown)
      // Without the store, the remaining ends cannot be read, so all waits are rejected.
      return watcher.settleWaits(thrown)
    })
  const handOverWaitAbort = new AbortController()
  try {
    const commandEnd = runCommandAndReportFault(deps, startedDeployment.base)
    const handOverDecision = waitForHandOver(
      ports.clock,
      () =>
        runFlags.isStopping
          ? undefined
          : readRunStatus({ deps, runProgress, startedDeployment }, options),
      handOverWaitAbort.signal,
    )
    // A boolean is the success of the command. Any other result is the decision to hand over.
    const raceResult = await Promise.race([commandEnd, handOverDecision])
    runFlags.hasHandedOver = typeof raceResult !== 'boolean'
    handOverWaitAbort.abort()
    // The next generator run counts operations that end after this point as newly ended.
    const [endedCount, awaitedIds] = [runProgress.totalEndCount(), watcher.awaitedIds()]
    await sweeper.end()
    if (typeof raceResult !== 'boolean') {
      const handOver = { ...raceResult, ended: endedCount }
      const { endProgram } = options
      await handOverDeployment(
        ports,
        { deployment, writer, watcher, awaitedIds, endProgram },
        handOver,
      )
      return { kind: 'handed over', handOver, decidedCount: runProgress.decidedCount() }
    }
    const hasSucceeded = raceResult && !run.hasFailed() && run.readAbortError() === undefined
    const result = options.decideIsCancelled() ? 'cancelled' : hasSucceeded ? 'succeeded' : 'failed'
    runFlags.isClosing = true
    await writer.append({ kind: 'closing', result })
    await finishClose(ports, deployment, { liveness, changes: run.emitter.readCounts() })
    return { kind: 'ended', result, abortError: run.readAbortError() }
  } finally {
    handOverWaitAbort.abort()
    void sweeper.end()
    watcher.close()
  }
}

/** Creates the dependencies of commands, and the progress of this generator run. */
function createCommandDeps(
  ports: GeneratorPorts,
  startedDeployment: StartedDeployment,
  context: {
    readonly run: CommandRun
    readonly options: RunOptions
    readonly runFlags: {
      readonly hasHandedOver: boolean
      readonly isClosing: boolean
      isStopping: boolean
    }
  },
): { readonly deps: CommandDeps; readonly runProgress: RunProgress } {
  const { deployment, liveness, earlierRuns, pin } = startedDeployment
  const { run, options, runFlags } = context
  const earlierEnds: CommandDeps['earlierEnds'] = earlierRuns?.earlierEnds ?? new Map()
  const watcher = createEndWatcher(ports, deployment)
  const progressSources = {
    writer: startedDeployment.writer,
    watcher,
    earlierDecisions: earlierRuns?.earlierDecisions,
  }
  const { progress, trackedSources } = trackProgress(ports.clock, progressSources, {
    earlierEnds,
    joinAndHookCount: earlierRuns?.joinAndHookCount ?? 0,
  })
  let lastOperationId = earlierRuns?.lastOperationId ?? 0
  let stopAppend: Promise<void> | undefined
  const deps: CommandDeps = {
    ...ports,
    ...trackedSources,
    clock: createStoppableClock(ports.clock, runFlags),
    deployment,
    liveness,
    run,
    pin,
    earlierEnds,
    emitter: run.emitter,
    reportedOperations: options.reportedOperations,
    sealing: createSealing(run.request.secrets),
    slots: createChainSlots(pin, earlierRuns?.runningIds ?? [], watcher),
    earlierDecisions: trackedSources.earlierDecisions,
    hooks: run.monitor.hooks,
    retriesCreateAsUpdate: retriesCreateAsUpdate(pin),
    onHookFailed: run.onHookFailed,
    releaseWaiters: createWaiterReleaser(ports, deployment),
    nextId: () => {
      lastOperationId += 1
      return lastOperationId as OperationId
    },
    foldLog: async () => foldLog(ports, deployment, await readLogView(ports, deployment)),
    onRebase: options.onRebase,
    async raiseStop() {
      // After a hand-over the deployment belongs to another generator, so it is not stopped here.
      if (runFlags.hasHandedOver) return new Promise(() => undefined)
      // The close sets the stop flag after its `closing` record.
      if (runFlags.isClosing) return
      runFlags.isStopping = true
      // If another generator has taken over, the append fails, and the stop flag of its deployment
      // is not raised.
      await (stopAppend ??= startedDeployment.writer.append({ kind: 'phase', phase: 'stopping' }))
      run.markOwnStop()
      await ports.control.stop(deployment, 'graceful')
    },
  }
  return { deps, runProgress: progress }
}

/**
 * Returns a clock whose `sleep` never resolves after a hand-over, so that every loop that sleeps
 * stops.
 */
function createStoppableClock(
  clock: ClockPort,
  runFlags: { readonly hasHandedOver: boolean },
): ClockPort {
  return {
    ...clock,
    async sleep(ms, signal) {
      await clock.sleep(ms, signal)
      if (runFlags.hasHandedOver) await new Promise(() => undefined)
    },
  }
}

/**
 * Returns the status for the decision about a hand-over. Returns undefined for an aborted run, and
 * for a run without a time limit whose process is not shutting down. An aborted run stops the
 * deployment, and no other run may continue a stopped deployment.
 */
function readRunStatus(
  context: {
    readonly deps: CommandDeps
    readonly runProgress: RunProgress
    readonly startedDeployment: StartedDeployment
  },
  { limitMs = Infinity, handOverSignal, areOperationsRunning }: RunOptions,
): RunStatus | undefined {
  const { deps, runProgress: progress, startedDeployment } = context
  const isShuttingDown = handOverSignal?.aborted === true
  if ((limitMs === Infinity && !isShuttingDown) || deps.run.isAborted()) return undefined
  const hasNewEnds = deps.earlierEnds.size > (startedDeployment.handedOver?.ended ?? 0)
  // Once the program has ended, it does not run again, and nothing awaits the remaining ends.
  const hasCaughtUp =
    progress.unawaitedEndCount() === 0 || deps.earlierDecisions?.programEnd !== undefined
  const awaitedCount = deps.watcher.awaitedIds().length
  // The next generator run would have to run a running hook again.
  const mustNotPark =
    areOperationsRunning() || startedDeployment.liveness.isRenewalOverdue() || deps.hooks.isBusy()
  return {
    isShuttingDown,
    limitMs,
    progress,
    hasNewEnds,
    awaitedCount,
    mustNotPark,
    hasCaughtUp,
  }
}

/**
 * Stops the deployment after its run was aborted. Executors then give later begins back.
 * Waits for running operations, and rejects all other waits.
 */
async function stopAndAwaitRunning(deps: CommandDeps): Promise<void> {
  await deps.raiseStop()
  await awaitRunningOperations(deps, deps.watcher.awaitedIds())
  await deps.watcher.settleWaits(new DeploymentAborted())
}

/**
 * Runs the command, and reports whether it succeeded. Returns false after a fault too. The caller
 * then closes the deployment and records the completed operations, if the store works.
 */
async function runCommandAndReportFault(deps: CommandDeps, base: Base): Promise<boolean> {
  try {
    return await deployCommand(deps, base)
  } catch (thrown) {
    // The reason of the early end was reported already.
    if (thrown instanceof DeploymentAborted) return false
    deps.run.abort(thrown)
    deps.emitter.report('error', messageOf(thrown))
    return false
  }
}

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
import { finishClose } from '../../shared/engine/deployment/close.ts'
import { createEndWatcher } from '../../shared/engine/deployment/end-watcher.ts'
import { viewLog } from '../../shared/engine/deployment/log-view.ts'
import { awaitRunning } from '../../shared/engine/deployment/plan-run.ts'
import { createSealing } from '../../shared/engine/deployment/sealing.ts'
import { keepSweeping } from '../../shared/engine/deployment/sweeper.ts'
import { Bail } from '../../shared/engine/generator/context.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import type { DeploymentResult } from '../../shared/records/log.ts'
import { foldOf } from '../compaction/handle.ts'
import type { GeneratorPorts, StartedDeployment } from './start.ts'

/** What came of a deployment. */
export interface EndedDeployment {
  readonly result: DeploymentResult
  /** A fault of the surroundings, such as a full disk, that the caller must see. */
  readonly fault: unknown
}

/** What runs beside the generator in this process. */
export interface Beside {
  readonly isCancelled: () => boolean
  /** Operations of which an executor of this process has told. */
  readonly told: Set<OperationId>
  readonly rebase: (base: Base) => void
}

/** Runs the command of a started deployment and closes it. */
export async function runDeployment(
  ports: GeneratorPorts,
  started: StartedDeployment,
  life: Life,
  beside: Beside,
): Promise<EndedDeployment> {
  const { deployment, writer, liveness } = started
  const watcher = createEndWatcher(ports, deployment)
  let last = started.left?.last ?? 0
  const deps: CommandDeps = {
    ...ports,
    deployment,
    writer,
    liveness,
    watcher,
    life,
    pin: started.pin,
    recorded: started.left?.recorded,
    before: started.left?.before ?? new Map(),
    emitter: life.emitter,
    told: beside.told,
    sealing: createSealing(life.request.secrets),
    nextId: () => {
      last += 1
      return last as OperationId
    },
    foldNow: async () => foldOf(ports, deployment, await viewLog(ports, deployment)),
    rebase: beside.rebase,
    stop: () => {
      life.noteStop()
      return ports.control.stop(deployment, 'graceful', ports.holder)
    },
  }
  const sweeping = keepSweeping({ ...ports, deployment, liveness })
  life.aborted
    .then(() => runOut(deps))
    .catch(thrown => {
      life.abort(thrown)
      // Without the store nobody learns any more how the rest ends: whoever waits is told so.
      return watcher.settle(thrown)
    })
  try {
    const isWhole = await commandOrFault(deps, started.base)
    await sweeping.end()
    const result = beside.isCancelled()
      ? 'cancelled'
      : isWhole && !life.hasFailed() && life.fault() === undefined
        ? 'succeeded'
        : 'failed'
    await writer.append({ kind: 'closing', result })
    await finishClose(ports, deployment, { liveness, changes: life.emitter.counts() })
    return { result, fault: life.fault() }
  } finally {
    void sweeping.end()
    watcher.close()
  }
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

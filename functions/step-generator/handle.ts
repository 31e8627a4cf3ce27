/**
 * step-generator: decides. Takes a trigger, makes or takes over the deployment of a stack, pins its
 * base, runs its command, and closes it. Executors do what it decided; compaction publishes what
 * came of it. The same handler on every platform.
 */
import type {
  BlobHash,
  DeploymentId,
  LogNumber,
  OperationId,
  WriterToken,
} from '../../shared/records/ids.ts'
import { error, hasCode, messageOf } from '../../shared/errors/error.ts'
import type { CommandDeps } from '../../shared/engine/commands/command-deps.ts'
import { deployCommand } from '../../shared/engine/commands/deploy-command.ts'
import {
  busyError,
  closeDead,
  standingOf,
  type TakeOverDeps,
} from '../../shared/engine/deployment/take-over.ts'
import { createLiveness, type Liveness } from '../../shared/engine/deployment/liveness.ts'
import { keepSweeping } from '../../shared/engine/deployment/sweeper.ts'
import { createEndWatcher } from '../../shared/engine/deployment/end-watcher.ts'
import { awaitRunning } from '../../shared/engine/deployment/plan-run.ts'
import { Bail } from '../../shared/engine/generator/context.ts'
import { finishClose } from '../../shared/engine/deployment/close.ts'
import type { Life } from '../../shared/engine/commands/life.ts'
import type { LeftBehind } from '../../shared/engine/deployment/left-behind.ts'
import { createLogWriter, type LogWriter } from '../../shared/engine/deployment/log-writer.ts'
import { type Pin, viewLog } from '../../shared/engine/deployment/log-view.ts'
import { createSealing } from '../../shared/engine/deployment/sealing.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/snapshot-blob.ts'
import { type Base, baseOf } from '../../shared/engine/deployment/base.ts'
import type { LogPort } from '../../shared/ports/system.ts'
import type { DeployRequest } from '../../shared/engine/request.ts'
import type { ChainQueuePort, HintsPort } from '../../shared/ports/queue.ts'
import { type DeploymentResult, rulesVersion } from '../../shared/records/log.ts'
import { decodeSnapshot, envelopeOf } from '../../shared/state/deployment.ts'
import { clearPendingCreates, importPending } from '../../shared/state/pending.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { foldOf } from '../compaction/handle.ts'

/** The ports that the generator uses. */
export interface GeneratorPorts extends TakeOverDeps {
  readonly chains: ChainQueuePort
  readonly hints: HintsPort
  readonly journal: LogPort
}

/** A deployment whose log this process holds. */
export interface StartedDeployment {
  readonly deployment: DeploymentId
  readonly writer: LogWriter
  readonly liveness: Liveness
  readonly pin: Pin
  readonly base: Base
  /** A deployment that died and was closed for this one to start. */
  readonly closed?: DeploymentId
  /** What earlier lives left; absent in the first one. */
  readonly left?: LeftBehind
}

/** How long a waiting trigger sleeps between two looks, in ms. */
const waitStepMs = 500

/**
 * Starts the stack's next deployment, closing a dead one first. Throws STACK_BUSY when a living one
 * holds the stack and the request does not wait; STACK_NOT_FOUND.
 */
export async function startDeployment(
  ports: GeneratorPorts,
  request: DeployRequest,
): Promise<StartedDeployment> {
  const { stack, options } = request
  const about = { command: options.command, message: options.message, holder: ports.holder }
  let closed: DeploymentId | undefined
  for (;;) {
    const started = await ports.catalog.start(stack, { ...about, at: ports.clock.now() })
    if (started.kind === 'started') {
      const deployment = await pinned(ports, request, started.deployment)
      return closed === undefined ? deployment : { ...deployment, closed }
    }
    const standing = await standingOf(ports, started.deployment)
    if (standing.kind === 'dead') {
      await closeUnlessOthersDo(ports, started.deployment)
      closed = started.deployment
    } else if (standing.kind === 'held' && !request.wait)
      throw busyError(started.deployment, standing.holder)
    else await ports.clock.sleep(waitStepMs)
  }
}

/** Another command may find the same dead deployment and be faster: then it is looked at again. */
async function closeUnlessOthersDo(ports: GeneratorPorts, deployment: DeploymentId): Promise<void> {
  try {
    await closeDead(ports, deployment)
  } catch (thrown) {
    if (!hasCode(thrown, 'DEPLOYMENT_TAKEN_OVER')) throw thrown
  }
}

async function pinned(
  ports: GeneratorPorts,
  request: DeployRequest,
  deployment: DeploymentId,
): Promise<StartedDeployment> {
  await ports.control.create(deployment, ports.holder)
  const record = await ports.catalog.stack(request.stack)
  if (record === undefined) throw error('STACK_NOT_FOUND', `there is no stack '${request.stack}'`)
  const writer = createLogWriter(ports, {
    deployment,
    writer: ports.random.uuid() as WriterToken,
    next: 0 as LogNumber,
  })
  const liveness = createLiveness(ports, deployment)
  await writer.append({ kind: 'takeover', holder: ports.holder })
  try {
    const stored = await readSnapshotBlob(ports.blobs, record.snapshot)
    requireUsable(stored)
    const { hash, deployment: used } = await baseBlob(ports, request, {
      hash: record.snapshot,
      stored,
    })
    const { type, state } = request.secrets
    const pin: Pin = {
      kind: 'pin',
      epoch: 1,
      version: record.version,
      base: hash,
      rules: rulesVersion,
      options: request.options,
      program: request.program,
      secrets: { type, state },
      inbox: [],
    }
    await writer.append(pin)
    const base = baseOf(decodeSnapshot(used, request.secrets), 1)
    return { deployment, writer, liveness, pin, base }
  } catch (thrown) {
    // Nothing was decided: the stack is given back.
    await writer.append({ kind: 'closing', result: 'failed' })
    await finishClose(ports, deployment, { liveness, changes: {} })
    throw thrown
  }
}

/** The published snapshot, or what it is after a person said what became of pending creates. */
async function baseBlob(
  ports: GeneratorPorts,
  request: DeployRequest,
  published: { readonly hash: BlobHash | ''; readonly stored: StoredDeployment },
): Promise<{ readonly hash: BlobHash | ''; readonly deployment: StoredDeployment }> {
  const { hash, stored } = published
  const { exist, forget } = request.pendingCreates
  if (exist.size === 0 && !forget) return { hash, deployment: stored }
  let settled = stored
  for (const [urn, id] of exist) settled = importPending(settled, urn, id)
  if (forget) settled = clearPendingCreates(settled)
  const put = await ports.blobs.put(Buffer.from(JSON.stringify(envelopeOf(settled))))
  return { hash: put, deployment: settled }
}

function requireUsable(stored: StoredDeployment): void {
  const mark = stored.metadata['integrity_error']
  if (typeof mark !== 'object' || mark === null || !('error' in mark)) return
  const { error: reason } = mark
  throw error(
    'STATE_INTEGRITY',
    `snapshot integrity failure; refusing to use it: ${typeof reason === 'string' ? reason : JSON.stringify(reason)}`,
  )
}

/** What came of a deployment. */
export interface EndedDeployment {
  readonly result: DeploymentResult
  /** A fault of the surroundings, such as a full disk, that the caller must see. */
  readonly fault: unknown
}

/** What runs beside the generator in this process. */
export interface Beside {
  readonly isCancelled: () => boolean
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
    sealing: createSealing(life.request.secrets),
    nextId: () => {
      last += 1
      return last as OperationId
    },
    foldNow: async () => foldOf(ports, deployment, await viewLog(ports, deployment)),
    rebase: beside.rebase,
    stop: () => {
      life.noteStop()
      return ports.control.stop(deployment, 'graceful')
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

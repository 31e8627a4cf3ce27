import { error } from '../../shared/errors/error.ts'
import { finishClose } from '../../shared/engine/deployment/ownership/close.ts'
import { adaptChainQueue } from '../../shared/engine/deployment/dispatch/adapt-chain-queue.ts'
import { createBase } from '../../shared/engine/deployment/state/base.ts'
import {
  type EarlierRuns,
  readEarlierRuns,
  listOperationsSincePin,
} from '../../shared/engine/deployment/log/earlier-runs.ts'
import { type LogView, readLogView } from '../../shared/engine/deployment/log/log-view.ts'
import { requireKnownRules } from '../../shared/engine/deployment/log/decision-rules.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/snapshot-blob.ts'
import { sweep } from '../../shared/engine/deployment/recovery/sweep.ts'
import {
  createBusyError,
  readHolderStatus,
  takeOver,
} from '../../shared/engine/deployment/ownership/take-over.ts'
import { runsProgram } from '../../shared/records/log.ts'
import type { DeployRequest } from '../../shared/engine/request.ts'
import {
  type DeploymentId,
  deploymentPartsOf,
  type ExecutorId,
  type StackId,
  stackPartsOf,
} from '../../shared/records/ids.ts'
import { decodeSnapshot } from '../../shared/state/snapshot-codec.ts'
import type { StartedDeployment } from './start-deployment.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'

/** A deployment without a living holder, with its options. */
export interface InterruptedDeployment {
  readonly deployment: StartedDeployment['deployment']
  readonly pin: StartedDeployment['pin']
  /** Whether it can only be closed. */
  readonly isEnding: boolean
}

/**
 * Returns the interrupted deployment of a stack. Throws STACK_NOT_FOUND, STACK_BUSY when its holder
 * is alive, NOTHING_TO_RESUME, and RECORD_TOO_NEW when a newer version started it.
 */
export async function requireInterrupted(
  ports: GeneratorPorts,
  stack: StackId,
): Promise<InterruptedDeployment> {
  const record = await ports.catalog.getStack(stack)
  if (record === undefined) throw error('STACK_NOT_FOUND', `the stack '${stack}' does not exist`)
  if (record.current === '')
    throw error('NOTHING_TO_RESUME', `no deployment of ${describeStack(stack)} was interrupted`)
  const deployment = record.current
  const standing = await readHolderStatus(ports, deployment)
  if (standing.kind === 'held')
    throw createBusyError(
      deployment,
      standing.holder,
      'It is still running: wait for it, or end it with `antichain cancel`.',
    )
  if (standing.kind === 'over')
    throw error('NOTHING_TO_RESUME', `no deployment of ${describeStack(stack)} was interrupted`)
  const which = `deployment ${deploymentPartsOf(deployment).number} of ${describeStack(stack)}`
  const { pin, closing } = await readLogView(ports, deployment)
  if (pin === undefined)
    throw error(
      'NOTHING_TO_RESUME',
      `${which} was interrupted before its first decision`,
      onlyClosed,
    )
  requireKnownRules(deployment, pin)
  if (closing === undefined && (await isStopped(ports, deployment)))
    throw error(
      'NOTHING_TO_RESUME',
      `${which} was stopped before it was interrupted: no further operation of it begins`,
      onlyClosed,
    )
  return { deployment, pin, isEnding: closing !== undefined }
}

/** Reports whether a deployment was stopped, so that no further operation begins. */
export async function isStopped(
  ports: Pick<GeneratorPorts, 'control'>,
  deployment: DeploymentId,
): Promise<boolean> {
  const control = await ports.control.read(deployment)
  return control !== undefined && control.stop !== 'none'
}

/** The options of a user for a deployment that cannot continue. */
const onlyClosed = {
  hint: '`antichain up` closes it and starts a new one; `antichain cancel` only closes it.',
}

function describeStack(stack: StackId): string {
  const parts = stackPartsOf(stack)
  return `stack '${parts.stack}' of project '${parts.project}'`
}

/**
 * Takes over the log of an interrupted deployment and prepares its continuation. Operations of dead
 * processes are recovered, and ready ones are sent again (I10). Throws RESUME_DIFFERS for another
 * command, program or configuration than at its start, and the errors of `requireInterrupted`.
 */
export async function resumeDeployment(
  ports: GeneratorPorts,
  request: DeployRequest,
): Promise<StartedDeployment> {
  return withBase(ports, request, await takeOverInterrupted(ports, request))
}

/** A deployment whose log was taken over, with an unopened base. */
interface HeldDeployment extends Omit<StartedDeployment, 'base' | 'left'> {
  readonly left: EarlierRuns
  readonly view: LogView
}

async function takeOverInterrupted(
  ports: GeneratorPorts,
  request: DeployRequest,
): Promise<HeldDeployment> {
  const { deployment, pin: first, isEnding } = await requireInterrupted(ports, request.stack)
  if (first.options.command !== request.options.command)
    throw error(
      'RESUME_DIFFERS',
      `the deployment was started by '${first.options.command}', not '${request.options.command}'`,
    )
  if (!isEnding && first.program !== request.program)
    throw error(
      'RESUME_DIFFERS',
      'the program or its configuration has changed since the deployment was interrupted',
    )
  const handedOver = (await ports.control.read(deployment))?.handedOver
  const { view, writer, liveness } = await takeOver(ports, deployment)
  const { pin } = view
  if (pin === undefined) throw error('INTERNAL_ASSERTION', 'a log keeps its pin')
  await closeIfOver(ports, { deployment, liveness, view })
  await sweepAll(ports, { deployment, view }, await liveness.observe())
  const left = await readEarlierRuns(ports, deployment, view)
  const started = { deployment, writer, liveness, pin, notices: [], left, view }
  return handedOver === undefined ? started : { ...started, handedOver }
}

/** Opens the base of a log that was taken over. */
async function withBase(
  ports: GeneratorPorts,
  request: DeployRequest,
  { view: _view, ...held }: HeldDeployment,
): Promise<StartedDeployment> {
  const stored = await readSnapshotBlob(ports.blobs, held.pin.base)
  return { ...held, base: createBase(decodeSnapshot(stored, request.secrets), held.pin.epoch) }
}

/** Recovers operations of executors that are gone, and sends ready ones. */
async function sweepAll(
  ports: GeneratorPorts,
  { deployment, view }: Pick<HeldDeployment, 'deployment' | 'view'>,
  gone: ReadonlySet<ExecutorId>,
): Promise<void> {
  const isGone = (executor: ExecutorId): boolean => gone.has(executor)
  const chains =
    view.pin === undefined ? ports.chains : adaptChainQueue(view.pin.options, ports.chains)
  await sweep({ ...ports, chains, deployment, isGone }, listOperationsSincePin(view))
}

/**
 * Continues a deployment that was handed over, after a nudge. Returns undefined when nothing has
 * ended since it was parked, and parks it again. Lost messages have been sent again by then. Throws
 * the errors of `resumeDeployment`, and RESUME_DIFFERS when a program that must run again has
 * changed meanwhile.
 */
export async function wakeDeployment(
  ports: GeneratorPorts,
  request: DeployRequest,
): Promise<StartedDeployment | undefined> {
  const held = await takeOverInterrupted(ports, request)
  const { deployment, left, handedOver, view } = held
  const hasNews = (ended: number): boolean => ended > (handedOver?.ended ?? 0)
  if (handedOver?.why !== 'parked' || hasNews(left.earlierEnds.size) || left.openCount === 0) {
    requireSameProgram(request, held)
    return withBase(ports, request, held)
  }
  // No other process checks the running operations while the deployment is parked.
  const gone = await held.liveness.observeUntilKnown()
  await sweepAll(ports, { deployment, view }, gone)
  await ports.control.handOver(deployment, ports.holder, handedOver)
  // An end that was recorded before the hand-over sends no nudge, so it is checked here.
  const now = await readEarlierRuns(ports, deployment, view)
  if (hasNews(now.earlierEnds.size)) await ports.nudges.nudge(request.stack, 0)
  return undefined
}

/** Requires that a program which must run again is unchanged. Throws RESUME_DIFFERS. */
function requireSameProgram(
  { readProgramDigest }: DeployRequest,
  { pin, left }: HeldDeployment,
): void {
  const runsAgain = runsProgram(pin.options) && left.recorded.programEnded === undefined
  if (!runsAgain || readProgramDigest === undefined || readProgramDigest() === pin.program) return
  throw error(
    'RESUME_DIFFERS',
    'the program changed while its deployment was running; the deployment cannot continue with another program',
  )
}

/**
 * Closes a deployment that was closing, and refuses to continue one that was stopped, because the
 * stop flag is never cleared. Throws NOTHING_TO_RESUME for both.
 */
async function closeIfOver(
  ports: GeneratorPorts,
  held: Pick<StartedDeployment, 'deployment' | 'liveness'> & { readonly view: LogView },
): Promise<void> {
  const { deployment, liveness, view } = held
  if (view.closing === undefined) {
    if (!(await isStopped(ports, deployment))) return
    throw error('NOTHING_TO_RESUME', 'the deployment was stopped, which cannot be undone')
  }
  const result = await finishClose(ports, deployment, { liveness, changes: {} })
  const { stack, number } = deploymentPartsOf(deployment)
  throw error(
    'NOTHING_TO_RESUME',
    `deployment ${number} of ${describeStack(stack)} was already ending; it is now closed: ${result}`,
    { hint: 'Its results are in the state; `antichain stack history` shows them.' },
  )
}

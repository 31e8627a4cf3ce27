import { createError } from '../../shared/errors/error.ts'
import { finishClose } from '../../shared/engine/deployment/ownership/finish-close.ts'
import { adaptChainQueue } from '../../shared/engine/deployment/dispatch/adapt-chain-queue.ts'
import { createBase } from '../../shared/engine/deployment/state/base.ts'
import {
  type EarlierRuns,
  readEarlierRuns,
  listOperationsSincePin,
} from '../../shared/engine/deployment/log/read-earlier-runs.ts'
import { type LogView, readLogView } from '../../shared/engine/deployment/log/log-view.ts'
import { requireSupportedRules } from '../../shared/engine/deployment/log/supported-rules.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/read-snapshot-blob.ts'
import { sweep } from '../../shared/engine/deployment/recovery/sweep.ts'
import { readHolderStatus } from '../../shared/engine/deployment/ownership/holder-status.ts'
import { createBusyError } from '../../shared/engine/deployment/ownership/stack-busy.ts'
import { takeOver } from '../../shared/engine/deployment/ownership/take-over.ts'
import { runsProgram } from '../../shared/records/log.ts'
import type { DeployInput } from '../../shared/engine/request.ts'
import {
  type DeploymentId,
  deploymentPartsOf,
  type ExecutorId,
  type StackId,
  stackPartsOf,
} from '../../shared/records/ids.ts'
import { decodeSnapshot } from '../../shared/state/snapshot-codec.ts'
import { claimWrites } from './claim-writes.ts'
import { listOpenDeployments } from '../../shared/ports/open-deployments.ts'
import type { StackRecord } from '../../shared/ports/catalog.ts'
import type { StartedDeployment } from './start-deployment.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'

/** A deployment without a living holder, with its pin. */
export interface InterruptedDeployment {
  readonly deployment: StartedDeployment['deployment']
  readonly pin: StartedDeployment['pin']
  /** Whether the deployment had begun to close. Such a deployment can only be closed. */
  readonly isEnding: boolean
}

/**
 * Returns the interrupted deployment of a stack: `requestedDeployment`, or the oldest one. Throws
 * STACK_NOT_FOUND, STACK_BUSY when the holder is alive, and NOTHING_TO_RESUME when no deployment
 * can continue. Throws RECORD_TOO_NEW when a newer version of Antichain started the deployment.
 */
export async function requireInterrupted(
  ports: GeneratorPorts,
  stack: StackId,
  requestedDeployment?: DeploymentId,
): Promise<InterruptedDeployment> {
  const record = await ports.catalog.getStack(stack)
  if (record === undefined)
    throw createError('STACK_NOT_FOUND', `the stack '${stack}' does not exist`)
  const deployment = requestedDeployment ?? (await findOldestInterrupted(ports, record))
  if (deployment === undefined)
    throw createError(
      'NOTHING_TO_RESUME',
      `no deployment of ${describeStack(stack)} was interrupted`,
    )
  const deploymentLabel = `deployment ${deploymentPartsOf(deployment).number} of ${describeStack(stack)}`
  if (!listOpenDeployments(record).includes(deployment))
    throw createError('NOTHING_TO_RESUME', `${deploymentLabel} is not open`)
  const holderStatus = await readHolderStatus(ports, deployment)
  if (holderStatus.kind === 'held')
    throw await createBusyError(ports, deployment, {
      holder: holderStatus.holder,
      hint: 'It is still running: wait for it, or end it with `antichain cancel`.',
    })
  if (holderStatus.kind === 'over')
    throw createError(
      'NOTHING_TO_RESUME',
      `no deployment of ${describeStack(stack)} was interrupted`,
    )
  const { pin, closing } = await readLogView(ports, deployment)
  if (pin === undefined)
    throw createError(
      'NOTHING_TO_RESUME',
      `${deploymentLabel} was interrupted before its first decision`,
      closeHint,
    )
  requireSupportedRules(deployment, pin)
  if (pin.client !== undefined)
    throw createError(
      'NOTHING_TO_RESUME',
      `${deploymentLabel} belongs to a client of Pulumi`,
      closeHint,
    )
  if (closing === undefined && (await isStopped(ports, deployment)))
    throw createError(
      'NOTHING_TO_RESUME',
      `${deploymentLabel} was stopped before it was interrupted: no further operation of it begins`,
      closeHint,
    )
  return { deployment, pin, isEnding: closing !== undefined }
}

/** Returns the oldest open deployment without a living holder, otherwise the oldest open one. */
async function findOldestInterrupted(
  ports: GeneratorPorts,
  record: StackRecord,
): Promise<DeploymentId | undefined> {
  const openDeployments = listOpenDeployments(record)
  if (openDeployments.length > 1)
    for (const deployment of openDeployments)
      if ((await readHolderStatus(ports, deployment)).kind === 'dead') return deployment
  return openDeployments[0]
}

/** Reports whether a deployment was stopped. Executors then give later begins back. */
export async function isStopped(
  ports: Pick<GeneratorPorts, 'control'>,
  deployment: DeploymentId,
): Promise<boolean> {
  const control = await ports.control.read(deployment)
  return control !== undefined && control.stop !== 'none'
}

/** The hint for a deployment that cannot continue. */
const closeHint = {
  hint: '`antichain up` closes it and starts a new one; `antichain cancel` only closes it.',
}

function describeStack(stack: StackId): string {
  const parts = stackPartsOf(stack)
  return `stack '${parts.stack}' of project '${parts.project}'`
}

/**
 * Takes over the log of an interrupted deployment and prepares its continuation. Operations of dead
 * processes are recovered, and ready operations are sent again (I10). Throws RESUME_DIFFERS for
 * another command, program or configuration than at its start, and the errors of
 * `requireInterrupted` and `takeOver`.
 */
export async function resumeDeployment(
  ports: GeneratorPorts,
  request: DeployInput,
): Promise<StartedDeployment> {
  return withBase(ports, request, await takeOverInterrupted(ports, request))
}

/** A deployment whose log was taken over, before its base is read. */
interface TakenOverDeployment extends Omit<StartedDeployment, 'base'> {
  readonly earlierRuns: EarlierRuns
  readonly view: LogView
}

async function takeOverInterrupted(
  ports: GeneratorPorts,
  request: DeployInput,
): Promise<TakenOverDeployment> {
  const {
    deployment,
    pin: firstPin,
    isEnding,
  } = await requireInterrupted(ports, request.stack, request.resumedDeployment)
  if (firstPin.options.command !== request.options.command)
    throw createError(
      'RESUME_DIFFERS',
      `the deployment was started by '${firstPin.options.command}', not '${request.options.command}'`,
    )
  if (!isEnding && firstPin.program !== request.programDigest)
    throw createError(
      'RESUME_DIFFERS',
      'the program or its configuration has changed since the deployment started',
    )
  const handedOver = (await ports.control.read(deployment))?.handedOver
  const { view, writer, liveness } = await takeOver(ports, deployment)
  const { pin } = view
  if (pin === undefined)
    throw createError('INTERNAL_ASSERTION', 'the log of an interrupted deployment has no pin')
  await closeIfOver(ports, { deployment, liveness, view })
  await sweepAll(ports, { deployment, view }, await liveness.observe())
  const earlierRuns = await readEarlierRuns(ports, deployment, view)
  const resumedDeployment = {
    deployment,
    writer: await claimWrites(ports, writer, { deployment, pin }),
    liveness,
    pin,
    notices: [],
    earlierRuns,
    view,
  }
  return handedOver === undefined ? resumedDeployment : { ...resumedDeployment, handedOver }
}

/** Reads and opens the base of a deployment whose log was taken over. */
async function withBase(
  ports: GeneratorPorts,
  request: DeployInput,
  { view: _view, ...takenOverDeployment }: TakenOverDeployment,
): Promise<StartedDeployment> {
  const storedBase = await readSnapshotBlob(ports.blobs, takenOverDeployment.pin.base)
  return {
    ...takenOverDeployment,
    base: createBase(
      await decodeSnapshot(storedBase, request.secrets),
      takenOverDeployment.pin.epoch,
    ),
  }
}

/** Recovers the operations of dead executors, and sends ready operations. */
async function sweepAll(
  ports: GeneratorPorts,
  { deployment, view }: Pick<TakenOverDeployment, 'deployment' | 'view'>,
  deadExecutors: ReadonlySet<ExecutorId>,
): Promise<void> {
  const isGone = (executor: ExecutorId): boolean => deadExecutors.has(executor)
  const chains =
    view.pin === undefined ? ports.chains : adaptChainQueue(view.pin.options, ports.chains)
  await sweep({ ...ports, chains, deployment, isGone }, listOperationsSincePin(view))
}

/**
 * Continues a deployment without a holder, after a nudge. If it was parked and its operations are
 * still running, but none has ended since, sends lost messages again and parks it again. Returns
 * undefined in that case. Throws the errors of `resumeDeployment`, and RESUME_DIFFERS when a
 * program that must run again has changed.
 */
export async function wakeDeployment(
  ports: GeneratorPorts,
  request: DeployInput,
): Promise<StartedDeployment | undefined> {
  const takenOverDeployment = await takeOverInterrupted(ports, request)
  const { deployment, earlierRuns, handedOver, view } = takenOverDeployment
  const hasNewEnds = (endedCount: number): boolean => endedCount > (handedOver?.ended ?? 0)
  if (
    handedOver?.why !== 'parked' ||
    hasNewEnds(earlierRuns.earlierEnds.size) ||
    earlierRuns.unfinishedCount === 0
  ) {
    requireSameProgram(request, takenOverDeployment)
    return withBase(ports, request, takenOverDeployment)
  }
  // No other process checks the running operations while the deployment is parked.
  const deadExecutors = await takenOverDeployment.liveness.observeUntilKnown()
  await sweepAll(ports, { deployment, view }, deadExecutors)
  await ports.control.handOver(deployment, ports.holder, handedOver)
  // An end that was recorded before the hand-over sends no nudge, so it is checked here.
  const currentRuns = await readEarlierRuns(ports, deployment, view)
  if (hasNewEnds(currentRuns.earlierEnds.size)) await ports.nudges.nudge(request.stack, 0)
  return undefined
}

/** Requires that a program which must run again is unchanged. Throws RESUME_DIFFERS. */
function requireSameProgram(
  { readProgramDigest }: DeployInput,
  { pin, earlierRuns }: TakenOverDeployment,
): void {
  const mustRunAgain =
    runsProgram(pin.options) && earlierRuns.earlierDecisions.programEnd === undefined
  if (!mustRunAgain || readProgramDigest === undefined || readProgramDigest() === pin.program)
    return
  throw createError(
    'RESUME_DIFFERS',
    'the program changed while its deployment was running; the deployment cannot continue with another program',
  )
}

/**
 * Closes a deployment that was closing, and refuses to continue a stopped deployment. Throws
 * NOTHING_TO_RESUME in both cases, and otherwise does nothing. The stop flag is never cleared.
 */
async function closeIfOver(
  ports: GeneratorPorts,
  takenOverDeployment: Pick<StartedDeployment, 'deployment' | 'liveness'> & {
    readonly view: LogView
  },
): Promise<void> {
  const { deployment, liveness, view } = takenOverDeployment
  if (view.closing === undefined) {
    if (!(await isStopped(ports, deployment))) return
    throw createError('NOTHING_TO_RESUME', 'the deployment was stopped, which cannot be undone')
  }
  const result = await finishClose(ports, deployment, { liveness, changes: {} })
  const { stack, number } = deploymentPartsOf(deployment)
  throw createError(
    'NOTHING_TO_RESUME',
    `deployment ${number} of ${describeStack(stack)} was already ending; it is now closed: ${result}`,
    { hint: 'Its results are in the state; `antichain stack history` shows them.' },
  )
}

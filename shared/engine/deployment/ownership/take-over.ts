import { hasCode } from '../../../errors/error.ts'
import type { RequestsPort } from '../../../ports/requests.ts'
import type { RandomPort } from '../../../ports/system.ts'
import { deploymentPartsOf, type DeploymentId, type WriterToken } from '../../../records/ids.ts'
import { type CloseDeps, finishClose } from './finish-close.ts'
import { createLiveness, type Liveness } from './liveness.ts'
import { endStartedRequest } from './end-started-request.ts'
import { type LogView, readLogView } from '../log/log-view.ts'
import { createLogWriter, type LogWriter } from '../log/log-writer.ts'
import { readFirstPin, requireSupportedRules } from '../log/supported-rules.ts'

/** The dependencies of a take-over besides those of a close. */
export interface TakeOverDeps extends CloseDeps {
  readonly random: RandomPort
  /** The request queues of stacks. Absent where requests are not queued. */
  readonly requests?: Pick<RequestsPort, 'end' | 'find'>
}

/** The result of a take-over. */
export interface TakeOverResult {
  /** The log before the take-over. */
  readonly view: LogView
  readonly writer: LogWriter
  readonly liveness: Liveness
}

/**
 * Takes over the log of a deployment whose holder is dead. Dead executors are retired, after their
 * remaining process groups were ended. Then the take-over is recorded. Throws DEPLOYMENT_TAKEN_OVER
 * when another process was faster, and RECORD_TOO_NEW for newer rules.
 */
export async function takeOver(
  deps: TakeOverDeps,
  deployment: DeploymentId,
): Promise<TakeOverResult> {
  requireSupportedRules(deployment, await readFirstPin(deps, deployment))
  const liveness = createLiveness(deps, deployment)
  await liveness.observe()
  const view = await readLogView(deps, deployment)
  const token = deps.random.uuid() as WriterToken
  const writer = createLogWriter(deps, { deployment, writer: token, nextNumber: view.nextNumber })
  await writer.append({ kind: 'takeover', holder: deps.holder })
  await deps.control.create(deployment, deps.holder)
  await deps.control.hold(deployment, deps.holder, view.nextNumber)
  // The process that wrote the pin may have died before it removed the outcomes that it took from
  // the inbox. No deployment may take them again.
  const takenOutcomeKeys = view.pin?.inbox ?? []
  const { stack } = deploymentPartsOf(deployment)
  if (takenOutcomeKeys.length > 0) await deps.catalog.removeLateOutcomes(stack, takenOutcomeKeys)
  await endStartedRequest(deps, deployment, view.pin)
  return { view, writer, liveness }
}

/**
 * Takes over a deployment whose holder is dead, and closes it. An operation with an outcome ends
 * with that outcome. Other operations that may have called their provider become interrupted.
 * Throws the errors of `takeOver`.
 */
export async function closeDeadDeployment(
  deps: TakeOverDeps,
  deployment: DeploymentId,
  result: 'interrupted' | 'cancelled' = 'interrupted',
): Promise<void> {
  const { view, writer, liveness } = await takeOver(deps, deployment)
  if (view.closing === undefined) await writer.append({ kind: 'closing', result })
  await finishClose(deps, deployment, { liveness, changes: {} })
}

/** Closes a dead deployment, unless another process takes it over first. Throws store errors. */
export async function closeUnlessTakenOver(
  deps: TakeOverDeps,
  deployment: DeploymentId,
  result: 'interrupted' | 'cancelled' = 'interrupted',
): Promise<void> {
  try {
    await closeDeadDeployment(deps, deployment, result)
  } catch (thrown) {
    if (!hasCode(thrown, 'DEPLOYMENT_TAKEN_OVER')) throw thrown
  }
}

/** Maximum number of take-overs that a close tries while calls of a client are underway. */
const closeAttemptsMax = 10

/**
 * Closes a stopped deployment whose client may still make calls. If a call writes a record first,
 * the log refuses that of the take-over, and the close is tried again. Throws
 * DEPLOYMENT_TAKEN_OVER when the deployment is closed already.
 */
export async function closeStoppedDeployment(
  deps: TakeOverDeps,
  deployment: DeploymentId,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await closeDeadDeployment(deps, deployment, 'cancelled')
    } catch (thrown) {
      if (!hasCode(thrown, 'DEPLOYMENT_TAKEN_OVER') || attempt === closeAttemptsMax) throw thrown
      if ((await deps.control.read(deployment))?.closed !== false) throw thrown
    }
  }
}

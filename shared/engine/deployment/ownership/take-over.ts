import { error } from '../../../errors/error.ts'
import type { RequestsPort } from '../../../ports/requests.ts'
import type { RandomPort } from '../../../ports/system.ts'
import {
  deploymentPartsOf,
  type DeploymentId,
  type StackId,
  type WriterToken,
} from '../../../records/ids.ts'
import type { Holder } from '../../../records/log.ts'
import { type CloseDeps, finishClose } from './close.ts'
import { createLiveness, type Liveness } from './liveness.ts'
import { endRequest } from './end-request.ts'
import { type LogView, readLogView } from '../log/log-view.ts'
import { createLogWriter, type LogWriter } from '../log/log-writer.ts'
import { readFirstPin, requireKnownRules } from '../log/decision-rules.ts'

/** The dependencies of a take-over besides those of a close. */
export interface TakeOverDeps extends CloseDeps {
  /**
   * The deployments that run in this process, if it may start several. Any other deployment with
   * this process as holder belongs to a run that has ended.
   */
  readonly ownDeployments?: Set<DeploymentId>
  readonly random: RandomPort
  /** The request queues of stacks. Absent where requests are not queued. */
  readonly requests?: Pick<RequestsPort, 'end' | 'find'>
  /**
   * Reports whether a holder is alive, from other knowledge than `isAlive` has: false after the
   * watchdog nudge of the holder has arrived. A wrong result is harmless, because the log refuses a
   * deposed writer. Absent: `isAlive` is used.
   */
  readonly isHolding?: (holder: Holder) => boolean | undefined
}

/**
 * The status of a deployment that was started earlier. `over`: it is no longer the current one.
 * `held`: the holder is alive, or its status is unknown. `dead`: another process may take it over.
 */
export type HolderStatus =
  | { readonly kind: 'over' }
  | { readonly kind: 'held'; readonly holder: Holder }
  | { readonly kind: 'dead'; readonly holder: Holder | undefined }

/** Time that a deployment may be without its control record after its start, in ms. */
const controlTimeoutMs = 3_000

/** Reads whether the holder of a deployment is alive. */
export async function readHolderStatus(
  deps: TakeOverDeps,
  deployment: DeploymentId,
): Promise<HolderStatus> {
  const startedMs = deps.clock.monotonicMs()
  for (;;) {
    const control = await deps.control.read(deployment)
    if (control !== undefined) {
      const isHeld = isSelf(control.holder, deps.holder)
        ? control.handedOver === undefined && deps.ownDeployments?.has(deployment) === true
        : (deps.isHolding ?? deps.isAlive)(control.holder) !== false
      return { kind: isHeld ? 'held' : 'dead', holder: control.holder }
    }
    const stackRecord = await deps.catalog.getStack(deploymentPartsOf(deployment).stack)
    if (stackRecord?.current !== deployment) return { kind: 'over' }
    if (deps.clock.monotonicMs() - startedMs > controlTimeoutMs)
      return { kind: 'dead', holder: undefined }
    await deps.clock.sleep(100)
  }
}

function isSelf(a: Holder, b: Holder): boolean {
  return a.host === b.host && a.pid === b.pid && a.started === b.started
}

/** A log after a take-over. */
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
  requireKnownRules(deployment, await readFirstPin(deps, deployment))
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
  const takenOutcomes = view.pin?.inbox ?? []
  const { stack } = deploymentPartsOf(deployment)
  if (takenOutcomes.length > 0) await deps.catalog.removeLate(stack, takenOutcomes)
  await endRequest(deps, deployment, view.pin)
  return { view, writer, liveness }
}

/**
 * Throws STACK_BUSY for a request that has ended: another process served the request after this
 * process had read it as waiting. This process already holds the stack, so no other process can end
 * the request after the check.
 */
export async function requireWaitingRequest(
  { requests }: Pick<TakeOverDeps, 'requests'>,
  { stack, key }: { readonly stack: StackId; readonly key?: string },
): Promise<void> {
  if (key === undefined || requests === undefined) return
  if ((await requests.find(stack, key))?.end === undefined) return
  throw error('STACK_BUSY', `another process has served the request '${key}'`)
}

/**
 * Takes over a deployment whose holder is dead, and closes it. Outcomes that exist are selected.
 * The other operations that may have called their provider become interrupted. Throws the errors of
 * `takeOver`.
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

/** Creates the error for a stack that another deployment holds. */
export function createBusyError(deployment: DeploymentId, holder: Holder, hint?: string): Error {
  const holderText = `${holder.who} (process ${holder.pid} on ${holder.host})`
  return error(
    'STACK_BUSY',
    `deployment ${deploymentPartsOf(deployment).number} of this stack is held by ${holderText}`,
    hint === undefined ? {} : { hint },
  )
}

import type { GeneratorPorts } from '../shared/runtime/deployment/generator-ports.ts'
import { readHolderStatus } from '../shared/engine/deployment/ownership/holder-status.ts'
import {
  closeDeadDeployment,
  closeStoppedDeployment,
} from '../shared/engine/deployment/ownership/take-over.ts'
import { createError, hasCode } from '../shared/errors/error.ts'
import { listOpenDeployments } from '../shared/ports/open-deployments.ts'
import { deploymentPartsOf, type DeploymentId, type StackId } from '../shared/records/ids.ts'
import { abandonDeployment, isUnreadable } from '../functions/step-generator/abandon-deployment.ts'

/**
 * The result of a cancel. `none`: there is no deployment to cancel. `closed`: this process closed
 * the deployment. `asked`: its process was asked to stop. `asked before`: an earlier call asked the
 * process already. `unlocked`: locks of other clients in a self-managed backend were removed.
 * `abandoned`: the records of the deployment are unreadable, so the stack keeps its published
 * `version`, 0 for none.
 */
export type CancelResult =
  | { readonly kind: 'none' }
  | { readonly kind: 'unlocked'; readonly brokenLocks: number }
  | { readonly kind: 'closed' | 'asked' | 'asked before'; readonly number: number }
  | {
      readonly kind: 'abandoned'
      readonly number: number
      readonly version: number
      readonly cause: Error
    }

/**
 * Stops a deployment whose process is alive, or closes one whose process is dead. `number` selects
 * one of several deployments. Throws DEPLOYMENT_AMBIGUOUS for several without `number`. With
 * `force`, running operations are abandoned and their results stay unknown. If the holder is on
 * another host, `force` also makes this process close the deployment, once its executors count as
 * gone. A deployment of a client of Pulumi is always closed by this process. Throws RECORD_DAMAGED
 * or STATE_INVALID for unreadable records. With `force`, the call instead releases the stack from
 * such a deployment, and the records stay. Throws STORE_CONFLICT after a concurrent publication.
 */
export async function cancel(
  ports: GeneratorPorts,
  stack: StackId,
  { force, number }: { readonly force: boolean; readonly number?: number },
): Promise<CancelResult> {
  const record = await ports.catalog.getStack(stack)
  const openDeployments = record === undefined ? [] : listOpenDeployments(record)
  const [deployment, ...others] =
    number === undefined
      ? openDeployments
      : openDeployments.filter(candidate => deploymentPartsOf(candidate).number === number)
  if (record === undefined || deployment === undefined) return { kind: 'none' }
  if (others.length > 0) throw createAmbiguityError([deployment, ...others])
  const { version } = record
  try {
    return await cancelOpenDeployment(ports, deployment, force)
  } catch (thrown) {
    if (!force || !isUnreadable(thrown)) throw thrown
    await abandonDeployment(ports, deployment, record)
    const { number: abandonedNumber } = deploymentPartsOf(deployment)
    return { kind: 'abandoned', number: abandonedNumber, version, cause: thrown }
  }
}

/** Returns the error for a cancel that names none of several open deployments. */
function createAmbiguityError(openDeployments: readonly DeploymentId[]): Error {
  const numbers = openDeployments.map(deployment => deploymentPartsOf(deployment).number)
  return createError(
    'DEPLOYMENT_AMBIGUOUS',
    `deployments ${numbers.join(', ')} of this stack are open`,
  )
}

async function cancelOpenDeployment(
  ports: GeneratorPorts,
  deployment: DeploymentId,
  force: boolean,
): Promise<CancelResult> {
  const { number } = deploymentPartsOf(deployment)
  const holderStatus = await readHolderStatus(ports, deployment)
  if (holderStatus.kind === 'over') return { kind: 'none' }
  if (holderStatus.kind === 'dead') {
    // The close waits for executors of other processes. With `force`, they abandon their operations
    // first.
    if (force) await abandonRunning(ports, deployment)
    await closeDeadDeployment(ports, deployment, 'cancelled')
    return { kind: 'closed', number }
  }
  const earlierStop = (await ports.control.read(deployment))?.stop ?? 'none'
  if (force) await abandonRunning(ports, deployment)
  else await ports.control.stop(deployment, 'graceful')
  // A holder with `expiresAt` is a client of Pulumi. The client learns of the stop only at its next
  // call, so this process closes the deployment.
  const isClient = holderStatus.holder.expiresAt !== undefined
  if (isClient || (force && ports.isAlive(holderStatus.holder) === undefined)) {
    await closeUnlessClosed(ports, deployment)
    return { kind: 'closed', number }
  }
  const isNewStop = earlierStop === 'none' || (force && earlierStop === 'graceful')
  return { kind: isNewStop ? 'asked' : 'asked before', number }
}

/** Closes a stopped deployment, unless its holder closes it first. */
async function closeUnlessClosed(ports: GeneratorPorts, deployment: DeploymentId): Promise<void> {
  const isClosed = async (): Promise<boolean> =>
    (await ports.control.read(deployment))?.closed === true
  if (await isClosed()) return
  try {
    await closeStoppedDeployment(ports, deployment)
  } catch (thrown) {
    if (!hasCode(thrown, 'DEPLOYMENT_TAKEN_OVER') || !(await isClosed())) throw thrown
  }
}

/** Time that executors have to abandon their running operations, in ms. */
const abandonTimeoutMs = 3_000
/** Interval at which this process checks whether the executors have ended, in ms. */
const abandonCheckMs = 200

/**
 * Makes the executors abandon their running operations. After `abandonTimeoutMs` this process ends
 * the remaining plugins of this machine. The calls of these plugins then fail.
 */
async function abandonRunning(ports: GeneratorPorts, deployment: DeploymentId): Promise<void> {
  await ports.control.stop(deployment, 'forced')
  const deadlineMs = ports.clock.monotonicMs() + abandonTimeoutMs
  while (ports.clock.monotonicMs() < deadlineMs) {
    const control = await ports.control.read(deployment)
    const isOver = control === undefined || control.closed
    if (isOver || (await ports.leases.list(deployment)).every(({ retired }) => retired)) return
    await ports.clock.sleep(abandonCheckMs)
  }
  for (const { holder, retired, groups } of await ports.leases.list(deployment))
    if (!retired && holder.host === ports.holder.host) groups.forEach(ports.endProcessGroup)
}

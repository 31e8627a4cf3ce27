import type { GeneratorPorts } from '../shared/runtime/deployment/generator-ports.ts'
import {
  closeDeadDeployment,
  readHolderStatus,
} from '../shared/engine/deployment/ownership/take-over.ts'
import { deploymentPartsOf, type DeploymentId, type StackId } from '../shared/records/ids.ts'
import { abandonDeployment, isUnreadable } from './abandon-deployment.ts'

/**
 * What a cancel came to: there was nothing, a dead deployment was closed, a living one was asked to
 * stop now, or had been asked before; `given up`: its records cannot be read, so that the stack is
 * as `version` of it was published, 0 when none was.
 */
export type CancelOutcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'closed' | 'asked' | 'asked before'; readonly number: number }
  | {
      readonly kind: 'given up'
      readonly number: number
      readonly version: number
      readonly why: Error
    }

/**
 * Asks a living deployment to stop, closes a dead one. With `force` what runs is abandoned: how it
 * ends will not be known; a deployment whose holder is on a host of which nothing is known (it may
 * be gone, or have another name now) is closed in its place, once its leases stand still; and one
 * that cannot be closed because of damaged records is given up, its records left as they are.
 * Throws RECORD_DAMAGED and STATE_INVALID without `force`.
 */
export async function cancel(
  ports: GeneratorPorts,
  stack: StackId,
  force: boolean,
): Promise<CancelOutcome> {
  const record = await ports.catalog.getStack(stack)
  if (record === undefined || record.current === '') return { kind: 'none' }
  const { current, version } = record
  try {
    return await cancelCurrent(ports, current, force)
  } catch (thrown) {
    if (!force || !isUnreadable(thrown)) throw thrown
    await abandonDeployment(ports, current, record)
    return { kind: 'given up', number: deploymentPartsOf(current).number, version, why: thrown }
  }
}

async function cancelCurrent(
  ports: GeneratorPorts,
  current: DeploymentId,
  force: boolean,
): Promise<CancelOutcome> {
  const { number } = deploymentPartsOf(current)
  const standing = await readHolderStatus(ports, current)
  if (standing.kind === 'over') return { kind: 'none' }
  if (standing.kind === 'dead') {
    // Executors of other processes may live: the close waits for what they run.
    if (force) await abandonRunning(ports, current)
    await closeDeadDeployment(ports, current, 'cancelled')
    return { kind: 'closed', number }
  }
  const before = (await ports.control.read(current))?.stop ?? 'none'
  if (force) await abandonRunning(ports, current)
  else await ports.control.stop(current, 'graceful')
  if (force && ports.isAlive(standing.holder) === undefined) {
    await closeUnlessOver(ports, current)
    return { kind: 'closed', number }
  }
  const isNews = before === 'none' || (force && before === 'graceful')
  return { kind: isNews ? 'asked' : 'asked before', number }
}

/** A holder that lives after all may have closed it, or be about to: then that stands. */
async function closeUnlessOver(ports: GeneratorPorts, deployment: DeploymentId): Promise<void> {
  const control = await ports.control.read(deployment)
  if (control?.closed !== true) await closeDeadDeployment(ports, deployment, 'cancelled')
}

/** How long who is to abandon what runs may take to do so by itself, in ms. */
const abandonWithinMs = 3_000

/**
 * Whoever runs something abandons it. Plugins of this machine that are left after a while are ended
 * from here; who asked them settles what they were asked.
 */
async function abandonRunning(ports: GeneratorPorts, deployment: DeploymentId): Promise<void> {
  await ports.control.stop(deployment, 'forced')
  const untilMs = ports.clock.monotonicMs() + abandonWithinMs
  while (ports.clock.monotonicMs() < untilMs) {
    const control = await ports.control.read(deployment)
    const isOver = control === undefined || control.closed
    if (isOver || (await ports.leases.list(deployment)).every(({ retired }) => retired)) return
    await ports.clock.sleep(200)
  }
  for (const { holder, retired, groups } of await ports.leases.list(deployment))
    if (!retired && holder.host === ports.holder.host) groups.forEach(ports.endGroup)
}

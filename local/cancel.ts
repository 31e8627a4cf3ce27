import type { GeneratorPorts } from '../shared/runtime/deployment/generator-ports.ts'
import {
  closeDeadDeployment,
  readHolderStatus,
} from '../shared/engine/deployment/ownership/take-over.ts'
import { deploymentPartsOf, type DeploymentId, type StackId } from '../shared/records/ids.ts'
import { abandonDeployment, isUnreadable } from './abandon-deployment.ts'

/**
 * The outcome of a cancel: nothing to cancel, a dead deployment was closed, or a living one was
 * stopped now or before. `given up`: its records are unreadable, so the stack has its published
 * version `version`, 0 when there is none.
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
 * Stops a living deployment, or closes a dead one. With `force`, running operations are abandoned
 * and their results stay unknown. A deployment whose holder is on an unreachable host is then
 * closed in its place, once its leases are unchanged for long enough. One that cannot be closed
 * because of damaged records is released without changing them. Throws RECORD_DAMAGED and
 * STATE_INVALID without `force`.
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
    // Executors of other processes may be alive, so the close waits for their operations.
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

/**
 * A holder that is alive after all may have closed it, or be about to; its close takes precedence.
 */
async function closeUnlessOver(ports: GeneratorPorts, deployment: DeploymentId): Promise<void> {
  const control = await ports.control.read(deployment)
  if (control?.closed !== true) await closeDeadDeployment(ports, deployment, 'cancelled')
}

/** Time that the owners of running operations have to abandon them, in ms. */
const abandonWithinMs = 3_000

/**
 * The owners abandon their running operations. Plugins of this machine that remain after a while
 * are ended from here, and their callers settle the calls.
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

import type { CatalogPort } from '../../../ports/catalog.ts'
import { isOpenDeployment } from '../../../ports/open-deployments.ts'
import type { ControlPort } from '../../../ports/records.ts'
import type { Control } from '../../../records/head.ts'
import { deploymentPartsOf, type DeploymentId, type EpochMs } from '../../../records/ids.ts'
import type { Holder } from '../../../records/log.ts'
import type { LivenessDeps } from './liveness.ts'

/** The dependencies of reading the status of a holder. `holder` is this process. */
export interface HolderStatusDeps extends Pick<LivenessDeps, 'clock' | 'holder' | 'isAlive'> {
  readonly catalog: Pick<CatalogPort, 'getStack'>
  readonly control: Pick<ControlPort, 'read'>
  /**
   * The deployments that run in this process, if it may start several. Any other deployment with
   * this process as holder belongs to a run that has ended.
   */
  readonly ownDeployments?: Set<DeploymentId>
  /**
   * Reports whether a holder is alive, in place of `isAlive`: false after the watchdog nudge of the
   * holder has arrived. A wrong result is harmless, because the log refuses a deposed writer.
   * Absent: `isAlive` is used.
   */
  readonly isHolderAlive?: (holder: Holder) => boolean | undefined
}

/**
 * The status of a deployment that was started earlier. `over`: it is no longer open.
 * `held`: the holder is alive, or its status is unknown. `dead`: another process may take it over.
 */
export type HolderStatus =
  | { readonly kind: 'over' }
  | { readonly kind: 'held'; readonly holder: Holder }
  | { readonly kind: 'dead'; readonly holder: Holder | undefined }

/** Time that a deployment may be without its control record after its start, in ms. */
const controlTimeoutMs = 3_000
/** Pause between reads of a control record that does not exist yet, in ms. */
const controlPollMs = 100

/**
 * Reads whether the holder of a deployment is alive. Waits up to `controlTimeoutMs` for a control
 * record that does not exist yet.
 */
export async function readHolderStatus(
  deps: HolderStatusDeps,
  deployment: DeploymentId,
): Promise<HolderStatus> {
  const startedMs = deps.clock.monotonicMs()
  for (;;) {
    const control = await deps.control.read(deployment)
    if (control !== undefined) {
      const { holder } = control
      if (holder.expiresAt !== undefined)
        return { kind: isLeaseOver(control, deps.clock.now()) ? 'dead' : 'held', holder }
      const isHeld = isSameHolder(holder, deps.holder)
        ? control.handedOver === undefined && deps.ownDeployments?.has(deployment) === true
        : (deps.isHolderAlive ?? deps.isAlive)(holder) !== false
      return { kind: isHeld ? 'held' : 'dead', holder }
    }
    const stackRecord = await deps.catalog.getStack(deploymentPartsOf(deployment).stack)
    if (!isOpenDeployment(stackRecord, deployment)) return { kind: 'over' }
    if (deps.clock.monotonicMs() - startedMs > controlTimeoutMs)
      return { kind: 'dead', holder: undefined }
    await deps.clock.sleep(controlPollMs)
  }
}

/**
 * Reports whether the holder of a deployment is a client of Pulumi whose lease is over: it expired,
 * or the deployment was stopped. Pure.
 */
export function isLeaseOver({ holder, stop }: Control, now: EpochMs): boolean {
  return holder.expiresAt !== undefined && (stop !== 'none' || now >= holder.expiresAt)
}

function isSameHolder(a: Holder, b: Holder): boolean {
  return a.host === b.host && a.pid === b.pid && a.started === b.started
}

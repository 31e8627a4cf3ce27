import type { MarksPort } from '../../shared/ports/documents.ts'
import type { ControlPort, LeasesPort } from '../../shared/ports/records.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { Control, Lease } from '../../shared/records/head.ts'
import type { DeploymentId, EpochMs } from '../../shared/records/ids.ts'
import { digestOf } from '../../shared/triggers/webhooks/webhook-signature.ts'

/** The dependencies of finding stuck deployments. */
export interface StuckDeps {
  readonly control: Pick<ControlPort, 'read'>
  readonly leases: Pick<LeasesPort, 'list'>
  readonly marks: Pick<MarksPort, 'mark' | 'isMarked'>
  readonly clock: Pick<ClockPort, 'now'>
}

/**
 * Length of a period, in ms. Calls in the same period or in adjacent periods are not compared. So a
 * call that is repeated immediately is not compared with the first call.
 */
const periodMs = 30 * 60_000
/** Numbers of periods between this call and the earlier calls with which it is compared. */
const comparedDistances = [2, 3, 4]
const markLifetimeMs = 6 * periodMs

/**
 * Returns the open deployments without progress since an earlier call at least half an hour ago.
 * A working process would have renewed its lease, four times a minute. Also records the progress,
 * for later calls.
 */
export async function findStuckDeployments(
  { control, leases, marks, clock }: StuckDeps,
  openDeployments: readonly DeploymentId[],
): Promise<readonly DeploymentId[]> {
  const currentPeriod = Math.floor(clock.now() / periodMs)
  const expiresAt = (clock.now() + markLifetimeMs) as EpochMs
  const stuckDeployments: DeploymentId[] = []
  for (const deployment of openDeployments) {
    const progress = progressKeyOf(await control.read(deployment), await leases.list(deployment))
    const markNameOf = (period: number): string => `stood ${deployment} ${progress} ${period}`
    const earlierMarks = comparedDistances.map(distance =>
      marks.isMarked(markNameOf(currentPeriod - distance)),
    )
    if ((await Promise.all(earlierMarks)).includes(true)) stuckDeployments.push(deployment)
    await marks.mark(markNameOf(currentPeriod), expiresAt)
  }
  return stuckDeployments
}

/**
 * Returns the progress of a deployment as a short key. The key stays the same until a process works
 * on the deployment. Pure.
 */
export function progressKeyOf(control: Control | undefined, leases: readonly Lease[]): string {
  const renewals = leases.map(({ executor, counter }) => `${executor} ${counter}`)
  return digestOf([control?.holder.started ?? 'nobody', ...renewals.toSorted()].join('\n'))
}

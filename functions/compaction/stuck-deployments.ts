import type { MarksPort } from '../../shared/ports/documents.ts'
import type { ControlPort, LeasesPort } from '../../shared/ports/records.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { Control, Lease } from '../../shared/records/head.ts'
import type { DeploymentId, EpochMs } from '../../shared/records/ids.ts'
import { digestOf } from '../../shared/triggers/webhooks/signature.ts'

/** The dependencies of finding stuck deployments. */
export interface StuckDeps {
  readonly control: Pick<ControlPort, 'read'>
  readonly leases: Pick<LeasesPort, 'list'>
  readonly marks: Pick<MarksPort, 'mark' | 'isMarked'>
  readonly clock: Pick<ClockPort, 'now'>
}

/**
 * Calls are distinguished by half hours, so that a call which is repeated at once finds nothing
 * stuck.
 */
const stretchMs = 30 * 60_000
/** Half hours before the current one in which an hourly call may have checked. */
const earlier = [2, 3, 4]
const keptMs = 6 * stretchMs

/**
 * Returns the open deployments without progress since an earlier call at least half an hour ago. A
 * process that works on a deployment renews a lease four times a minute, so none does.
 */
export async function findStuckDeployments(
  { control, leases, marks, clock }: StuckDeps,
  open: readonly DeploymentId[],
): Promise<readonly DeploymentId[]> {
  const stretch = Math.floor(clock.now() / stretchMs)
  const until = (clock.now() + keptMs) as EpochMs
  const stuck: DeploymentId[] = []
  for (const deployment of open) {
    const progress = progressKeyOf(await control.read(deployment), await leases.list(deployment))
    const markNameOf = (at: number): string => `stood ${deployment} ${progress} ${at}`
    const seen = earlier.map(back => marks.isMarked(markNameOf(stretch - back)))
    if ((await Promise.all(seen)).includes(true)) stuck.push(deployment)
    await marks.mark(markNameOf(stretch), until)
  }
  return stuck
}

/**
 * Returns the progress of a deployment as a short key. It stays the same until a process works on
 * the deployment. Pure.
 */
export function progressKeyOf(control: Control | undefined, leases: readonly Lease[]): string {
  const renewals = leases.map(({ executor, counter }) => `${executor} ${counter}`)
  return digestOf([control?.holder.started ?? 'nobody', ...renewals.toSorted()].join('\n'))
}

import type { MarksPort } from '../../shared/ports/documents.ts'
import type { ControlPort, LeasesPort } from '../../shared/ports/records.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { Control, Lease } from '../../shared/records/head.ts'
import type { DeploymentId, EpochMs } from '../../shared/records/ids.ts'
import { digestOf } from '../../shared/triggers/webhooks/signature.ts'

/** What looking for stuck deployments asks of the outside. */
export interface StuckDeps {
  readonly control: Pick<ControlPort, 'read'>
  readonly leases: Pick<LeasesPort, 'list'>
  readonly marks: Pick<MarksPort, 'mark' | 'isMarked'>
  readonly clock: Pick<ClockPort, 'now'>
}

/** Looks are told apart by the half hour: a call that is repeated at once finds nothing stuck. */
const stretchMs = 30 * 60_000
/** Half hours before this one in which an earlier call looked, if there is one each hour. */
const earlier = [2, 3, 4]
const keptMs = 6 * stretchMs

/**
 * Which open deployments stand as they stood when an earlier call looked, half an hour or more ago:
 * whoever works on one renews a lease four times a minute, so nobody does.
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

/** How a deployment stands, in few characters: the same until somebody works on it. Pure. */
export function progressKeyOf(control: Control | undefined, leases: readonly Lease[]): string {
  const renewals = leases.map(({ executor, counter }) => `${executor} ${counter}`)
  return digestOf([control?.holder.started ?? 'nobody', ...renewals.toSorted()].join('\n'))
}

import type { ControlPort } from '../../ports/records.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { DeploymentId } from '../../records/ids.ts'

/**
 * Shares reads of control records: calls for one deployment in one turn of the event loop share one
 * read. The read is sent after the last of these calls. So each caller reads the record as it is
 * after the caller's own earlier writes (I1). The shared read rejects like the port.
 */
export function shareControlReads(
  control: Pick<ControlPort, 'read'>,
  clock: Pick<ClockPort, 'defer'>,
): Pick<ControlPort, 'read'> {
  const pendingReads = new Map<DeploymentId, ReturnType<ControlPort['read']>>()
  return {
    read(deployment) {
      const sharedRead = pendingReads.get(deployment)
      if (sharedRead !== undefined) return sharedRead
      const newRead = new Promise<void>(resolve => clock.defer(resolve)).then(() => {
        pendingReads.delete(deployment)
        return control.read(deployment)
      })
      pendingReads.set(deployment, newRead)
      return newRead
    },
  }
}

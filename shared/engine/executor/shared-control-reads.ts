import type { ControlPort } from '../../ports/records.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { DeploymentId } from '../../records/ids.ts'

/**
 * Shares reads of control records: calls in one turn of the event loop share one read. The read is
 * sent after the last of these calls. A caller that wrote before its call therefore sees the state
 * after its write, as with a separate read (I1). Rejects like the port.
 */
export function shareControlReads(
  control: Pick<ControlPort, 'read'>,
  clock: Pick<ClockPort, 'defer'>,
): Pick<ControlPort, 'read'> {
  const pending = new Map<DeploymentId, ReturnType<ControlPort['read']>>()
  return {
    read(deployment) {
      const shared = pending.get(deployment)
      if (shared !== undefined) return shared
      const read = new Promise<void>(resolve => clock.defer(resolve)).then(() => {
        pending.delete(deployment)
        return control.read(deployment)
      })
      pending.set(deployment, read)
      return read
    },
  }
}

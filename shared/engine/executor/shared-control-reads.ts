import type { ControlPort } from '../../ports/records.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { DeploymentId } from '../../records/ids.ts'

/**
 * Reads control records for many at once: those who ask in one turn of the event loop share one
 * read. It is sent after the last of them asked, so whoever asks after a write of his own sees what
 * stood when that write was done, as with a read of his own (I1). Rejects as the port does.
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

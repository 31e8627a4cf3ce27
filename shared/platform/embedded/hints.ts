import { messageOf } from '../../errors/error.ts'
import type { HintsPort } from '../../ports/queue.ts'
import type { LogPort } from '../../ports/system.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'

type Heard = (operation: OperationId) => void

/** Hints inside one process. They are delivered after the caller has gone on, as over a network. */
export function createHints(log: LogPort): HintsPort {
  const listeners = new Map<DeploymentId, Set<Heard>>()
  return {
    hint: (deployment, operation) => {
      queueMicrotask(() => {
        for (const heard of listeners.get(deployment) ?? []) call(heard, operation, log)
      })
    },
    listen: (deployment, heard) => {
      const here = listeners.get(deployment) ?? new Set()
      listeners.set(deployment, here)
      const listener: Heard = operation => heard(operation)
      here.add(listener)
      return () => {
        here.delete(listener)
        if (here.size === 0 && listeners.get(deployment) === here) listeners.delete(deployment)
      }
    },
  }
}

/** One listener's failure is not the concern of the others, nor of who gave the hint. */
function call(heard: Heard, operation: OperationId, log: LogPort): void {
  try {
    heard(operation)
  } catch (thrown) {
    log.write('error', 'hint.failed', { operation, reason: messageOf(thrown) })
  }
}

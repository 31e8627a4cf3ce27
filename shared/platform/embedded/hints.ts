import { messageOf } from '../../errors/error.ts'
import type { HintsPort } from '../../ports/queue.ts'
import type { LogPort } from '../../ports/system.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Store } from './store/store.ts'

type Heard = (operation: OperationId) => void

/**
 * Hints to listeners of this process and of all others. They are delivered after the caller has
 * gone on, as over a network.
 */
export function createHints(log: LogPort, store: Pick<Store, 'signal' | 'hear'>): HintsPort {
  const listeners = new Map<DeploymentId, Set<Heard>>()
  const tell = (deployment: DeploymentId, operation: OperationId): void => {
    for (const heard of listeners.get(deployment) ?? []) call(heard, operation, log)
  }
  store.hear(signal => {
    if (signal.topic !== 'ended') return
    tell(signal.deployment as DeploymentId, signal.operation as OperationId)
  })
  return {
    hint: (deployment, operation) => {
      queueMicrotask(() => tell(deployment, operation))
      store.signal({ topic: 'ended', deployment, operation })
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

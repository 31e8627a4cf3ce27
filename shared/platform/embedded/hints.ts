import { messageOf } from '../../errors/error.ts'
import type { HintsPort } from '../../ports/queue.ts'
import type { LoggerPort } from '../../ports/system.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Store } from './store/store.ts'

type HintListener = (operation: OperationId) => void

/**
 * Creates hints to the listeners in all processes of this machine. A hint is delivered after the
 * caller has continued, as over a network.
 */
export function createHints(
  logger: LoggerPort,
  store: Pick<Store, 'signal' | 'subscribe'>,
): HintsPort {
  const listeners = new Map<DeploymentId, Set<HintListener>>()
  const notifyListeners = (deployment: DeploymentId, operation: OperationId): void => {
    for (const listener of listeners.get(deployment) ?? [])
      callListener(listener, operation, logger)
  }
  store.subscribe(signal => {
    if (signal.topic !== 'ended') return
    notifyListeners(signal.deployment as DeploymentId, signal.operation as OperationId)
  })
  return {
    hint: (deployment, operation) => {
      queueMicrotask(() => notifyListeners(deployment, operation))
      store.signal({ topic: 'ended', deployment, operation })
    },
    listen: (deployment, onHint) => {
      const deploymentListeners = listeners.get(deployment) ?? new Set()
      listeners.set(deployment, deploymentListeners)
      // A set contains equal functions once, so each call adds a function of its own.
      const listener: HintListener = operation => onHint(operation)
      deploymentListeners.add(listener)
      return () => {
        deploymentListeners.delete(listener)
        if (deploymentListeners.size === 0 && listeners.get(deployment) === deploymentListeners)
          listeners.delete(deployment)
      }
    },
  }
}

/** Calls one listener. A failure is logged, and affects neither other listeners nor the sender. */
function callListener(listener: HintListener, operation: OperationId, logger: LoggerPort): void {
  try {
    listener(operation)
  } catch (thrown) {
    logger.write('error', 'hint.failed', { operation, reason: messageOf(thrown) })
  }
}

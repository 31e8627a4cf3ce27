import { deploymentPartsOf, type OperationId } from '../../records/ids.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'

/**
 * Notifies the generator of an end: by a hint if the generator is listening, or by a nudge if it is
 * parked. Both may get lost.
 */
export async function notifyGenerator(
  ports: ExecutorPorts,
  { deployment, mayGeneratorPark }: ExecutionContext,
  id: OperationId,
): Promise<void> {
  ports.hints.hint(deployment, id)
  if (!mayGeneratorPark) return
  try {
    const control = await ports.control.read(deployment)
    if (control?.handedOver?.why !== 'parked') return
    await ports.nudges.nudge(deploymentPartsOf(deployment).stack, 0)
  } catch {
    // The notification may fail, because the watchdog nudge wakes the generator too.
  }
}

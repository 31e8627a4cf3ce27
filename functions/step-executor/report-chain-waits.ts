import { createStackAttributes } from '../../shared/engine/telemetry/describe-operation.ts'
import type { Delivery } from '../../shared/ports/queue.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { TelemetryPort } from '../../shared/ports/telemetry.ts'
import { deploymentPartsOf } from '../../shared/records/ids.ts'

/**
 * Reports how long chains waited for their first delivery. The time begins when a chain is sent, so
 * it includes a delay that the sender requested.
 */
export function reportChainWaits(
  {
    telemetry,
    clock,
  }: { readonly telemetry: TelemetryPort; readonly clock: Pick<ClockPort, 'now'> },
  deliveries: readonly Delivery[],
): void {
  if (!telemetry.isOn) return
  for (const { deliveries: count, sentAt, message } of deliveries) {
    if (count !== 1 || sentAt === undefined) continue
    const attributes = createStackAttributes(deploymentPartsOf(message.deployment).stack)
    telemetry.recordDuration('antichain.chain.wait', (clock.now() - sentAt) / 1_000, attributes)
  }
}

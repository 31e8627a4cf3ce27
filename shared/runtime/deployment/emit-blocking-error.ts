import type { GeneratorPorts } from './generator-ports.ts'
import { createEventRecorder } from '../../engine/events/recorder.ts'
import { messageOf } from '../../errors/error.ts'
import type { Platform } from '../../ports/platform.ts'
import type { DeploymentId } from '../../records/ids.ts'

/**
 * Emits the error that prevents a function from working on a deployment as an event, because no
 * other process of the deployment would report it.
 */
export async function emitBlockingError(
  { platform, ports }: { readonly platform: Platform; readonly ports: GeneratorPorts },
  deployment: DeploymentId,
  thrown: unknown,
): Promise<void> {
  const recorder = createEventRecorder(platform, deployment, `hindered-${platform.random.uuid()}`)
  const { host, pid } = ports.holder
  const message = `${messageOf(thrown)} (process ${pid} on ${host}); retrying.\n`
  recorder.emit({ diagnosticEvent: { message, color: 'raw', severity: 'warning' } })
  await recorder.flush()
}

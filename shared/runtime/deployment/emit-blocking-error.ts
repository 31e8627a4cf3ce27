import type { GeneratorPorts } from './generator-ports.ts'
import { createEventRecorder } from '../../engine/events/event-recorder.ts'
import { messageOf } from '../../errors/error.ts'
import type { Platform } from '../../ports/platform.ts'
import type { DeploymentId } from '../../records/ids.ts'

/**
 * Reports an error that prevents a function from serving a deployment, as an event of this
 * deployment. No other process would report the error. The severity is warning, because the
 * function tries again when the queue repeats the delivery of its message.
 */
export async function emitBlockingError(
  { platform, ports }: { readonly platform: Platform; readonly ports: GeneratorPorts },
  deployment: DeploymentId,
  thrown: unknown,
): Promise<void> {
  const writerName = `blocked-${platform.random.uuid()}`
  const recorder = createEventRecorder(platform, deployment, writerName)
  const { host, pid } = ports.holder
  const message = `${messageOf(thrown)} (process ${pid} on ${host}); retrying.\n`
  recorder.emit({ diagnosticEvent: { message, color: 'raw', severity: 'warning' } })
  await recorder.flush()
}

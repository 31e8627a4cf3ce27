import type { LifeEnd } from './handle.ts'
import type { GeneratorPorts, StartedDeployment } from './start.ts'
import { createEventRecorder } from '../../shared/engine/events/recorder.ts'
import { messageOf } from '../../shared/errors/error.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { StepEmitter } from '../../shared/engine/events/step-emitter.ts'
import { deploymentPartsOf, type DeploymentId } from '../../shared/records/ids.ts'
import type { Asked } from '../surroundings/surround.ts'

/** Tells what a deployment finds when it starts. */
export function tellStart(emitter: StepEmitter, started: StartedDeployment): void {
  if (started.closed !== undefined) tellClosed(emitter, started.closed)
  for (const sentence of started.told) emitter.diagnostic('warning', sentence)
}

/** A person sees that the deployment goes on although a generator ended. */
export function tellLeft(
  { request, sink }: Asked,
  { end, number }: { readonly end: LifeEnd & { readonly kind: 'left' }; readonly number: number },
): void {
  const { why, pool, ended: count } = end.handOver
  const seconds = (request.functionLimitMs ?? 0) / 1_000
  const limit = request.leave?.aborted === true ? 'its process ends' : `its limit is ${seconds} s`
  const reason = why === 'parked' ? 'has nothing to decide and parks' : `leaves, for ${limit}`
  const next =
    pool === 'long' ? '; the next one has no limit, since this one came to too little' : ''
  const message =
    `Generator ${number} ${reason}: ${end.decided} decisions, ` +
    `${count} operations ended so far${next}.\n`
  sink.emit({ diagnosticEvent: { message, color: 'raw', severity: 'info' } })
}

/**
 * Says in the events of a deployment what keeps a function from working for it: nobody else of the
 * deployment lives who would.
 */
export async function tellHindrance(
  { platform, ports }: { readonly platform: Platform; readonly ports: GeneratorPorts },
  deployment: DeploymentId,
  thrown: unknown,
): Promise<void> {
  const recorder = createEventRecorder(platform, deployment, `hindered-${platform.random.uuid()}`)
  const { host, pid } = ports.holder
  const message = `${messageOf(thrown)} (process ${pid} on ${host}); it is tried again.\n`
  recorder.emit({ diagnosticEvent: { message, color: 'raw', severity: 'warning' } })
  await recorder.flush()
}

function tellClosed(emitter: StepEmitter, closed: DeploymentId): void {
  const { number } = deploymentPartsOf(closed)
  const message =
    `Deployment ${number} of this stack was interrupted and is closed now: what it did is in the ` +
    'state, and this deployment does the rest. (`antichain resume` would have gone on with it.)'
  emitter.diagnostic('info', message)
}

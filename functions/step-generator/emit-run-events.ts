import type { RunEnd } from './run-deployment.ts'
import type { StartedDeployment } from './start-deployment.ts'
import type { StepEmitter } from '../../shared/engine/events/step-emitter.ts'
import { deploymentPartsOf, type DeploymentId } from '../../shared/records/ids.ts'
import type { RunInput } from '../../shared/runtime/environment/run-input.ts'

/** Tells what a deployment finds when it starts. */
export function emitStartNotices(emitter: StepEmitter, started: StartedDeployment): void {
  if (started.closed !== undefined) emitClosedNotice(emitter, started.closed)
  for (const sentence of started.notices) emitter.report('warning', sentence)
}

/** A person sees that the deployment goes on although a generator ended. */
export function emitHandOver(
  { request, sink }: RunInput,
  { end, number }: { readonly end: RunEnd & { readonly kind: 'left' }; readonly number: number },
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

function emitClosedNotice(emitter: StepEmitter, closed: DeploymentId): void {
  const { number } = deploymentPartsOf(closed)
  const message =
    `Deployment ${number} of this stack was interrupted and is closed now: what it did is in the ` +
    'state, and this deployment does the rest. (`antichain resume` would have gone on with it.)'
  emitter.report('info', message)
}

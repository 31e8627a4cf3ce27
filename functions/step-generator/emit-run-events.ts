import type { RunEnd } from './run-deployment.ts'
import type { StartedDeployment } from './start-deployment.ts'
import type { StepEmitter } from '../../shared/engine/events/step-emitter.ts'
import { deploymentPartsOf, type DeploymentId } from '../../shared/records/ids.ts'
import type { RunInput } from '../../shared/runtime/environment/run-input.ts'

/** Reports the interrupted deployment that the start closed, and the notices of the start. */
export function emitStartNotices(emitter: StepEmitter, startedDeployment: StartedDeployment): void {
  if (startedDeployment.closedDeployment !== undefined)
    emitClosedNotice(emitter, startedDeployment.closedDeployment)
  for (const sentence of startedDeployment.notices) emitter.report('warning', sentence)
}

/**
 * Reports a hand-over, so that users see that the deployment continues although a generator ended.
 */
export function emitHandOver(
  { request, sink }: RunInput,
  {
    end,
    generatorNumber,
  }: { readonly end: RunEnd & { readonly kind: 'handed over' }; readonly generatorNumber: number },
): void {
  const { why, pool, ended: count } = end.handOver
  const seconds = (request.functionLimitMs ?? 0) / 1_000
  const limitText =
    request.handOverSignal?.aborted === true
      ? 'its process is shutting down'
      : `its time limit is ${seconds} s`
  const reason =
    why === 'parked'
      ? 'parks, because it has nothing to decide'
      : `hands over, because ${limitText}`
  const nextPoolText =
    pool === 'long'
      ? '; the next generator has no time limit, because this one made too little progress'
      : ''
  const message =
    `Generator ${generatorNumber} ${reason}: ${end.decidedCount} decisions, ` +
    `${count} operations ended so far${nextPoolText}.\n`
  sink.emit({ diagnosticEvent: { message, color: 'raw', severity: 'info' } })
}

function emitClosedNotice(emitter: StepEmitter, closedDeployment: DeploymentId): void {
  const { number } = deploymentPartsOf(closedDeployment)
  const message =
    `Deployment ${number} of this stack was interrupted and is now closed: its results are ` +
    'in the state, and this deployment continues from there. (`antichain resume` would have ' +
    'continued the interrupted deployment.)'
  emitter.report('info', message)
}

import type { RunEnd } from '../functions/step-generator/run-deployment.ts'
import { closeDeadDeployment } from '../shared/engine/deployment/ownership/take-over.ts'
import type { DeployResult } from '../shared/engine/request.ts'
import {
  readPendingOperations,
  toDeployResult,
  emitSummary,
} from '../functions/step-generator/run-result.ts'
import type { RunInput } from '../shared/runtime/environment/run-input.ts'
import type { LocalRun, LocalDeploymentOptions } from './local-run.ts'

export async function finishEnded(
  input: RunInput,
  finished: Pick<LocalDeploymentOptions, 'startedAt'> & {
    readonly current: LocalRun
    readonly end: RunEnd & { readonly kind: 'ended' }
    readonly isCancelled: boolean
  },
): Promise<DeployResult> {
  const { environment } = finished.current
  const { result, fault } = finished.end
  const pending = await readPendingOperations(input)
  emitSummary(environment, {
    startedMs: finished.startedAt,
    nowMs: input.platform.clock.monotonicMs(),
    result,
    isPreview: false,
  })
  if (fault !== undefined && !finished.isCancelled) throw fault
  return toDeployResult(environment.emitter, result, pending)
}

/** Closes a deployment that was cancelled between two generator runs. */
export async function closeCancelled(
  input: RunInput,
  {
    current,
    startedAt,
  }: Pick<LocalDeploymentOptions, 'startedAt'> & { readonly current: LocalRun },
): Promise<DeployResult> {
  const { environment, started } = current
  await closeDeadDeployment(input.ports, started.deployment, 'cancelled')
  // Events of the previous generator run are not displayed any more.
  const emitter = { ...environment.emitter, emit: input.sink.emit }
  emitSummary(
    { emitter, run: environment.run },
    {
      startedMs: startedAt,
      nowMs: input.platform.clock.monotonicMs(),
      result: 'cancelled',
      isPreview: false,
    },
  )
  return toDeployResult(emitter, 'cancelled', await readPendingOperations(input))
}

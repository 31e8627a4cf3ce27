import type { RunEnd } from '../functions/step-generator/run-deployment.ts'
import { closeDeadDeployment } from '../shared/engine/deployment/ownership/take-over.ts'
import type { DeployResult } from '../shared/engine/request.ts'
import {
  readPendingOperations,
  toDeployResult,
  emitSummary,
} from '../functions/step-generator/run-result.ts'
import type { RunInput } from '../shared/runtime/environment/run-input.ts'
import type { LocalRun, LocalDeploymentOptions } from './local-generator-run.ts'

/**
 * Emits the summary of an ended deployment, and returns the result. Throws the `abortError` of the
 * end, such as the error of a full disk, unless the user cancelled the deployment.
 */
export async function finishEndedDeployment(
  input: RunInput,
  endedRun: Pick<LocalDeploymentOptions, 'startedMs'> & {
    readonly currentRun: LocalRun
    readonly end: RunEnd & { readonly kind: 'ended' }
    readonly isCancelled: boolean
  },
): Promise<DeployResult> {
  const { environment } = endedRun.currentRun
  const { result, abortError } = endedRun.end
  const pending = await readPendingOperations(input)
  emitSummary(environment, {
    startedMs: endedRun.startedMs,
    nowMs: input.platform.clock.monotonicMs(),
    result,
    isPreview: false,
  })
  if (abortError !== undefined && !endedRun.isCancelled) throw abortError
  return toDeployResult(environment.emitter, result, pending)
}

/** Closes a deployment that was cancelled between two generator runs. */
export async function closeCancelledDeployment(
  input: RunInput,
  {
    currentRun,
    startedMs,
  }: Pick<LocalDeploymentOptions, 'startedMs'> & { readonly currentRun: LocalRun },
): Promise<DeployResult> {
  const { environment, startedDeployment } = currentRun
  await closeDeadDeployment(input.ports, startedDeployment.deployment, 'cancelled')
  // The sink of the previous generator run displays no more events, so the summary goes to
  // `input.sink`.
  const emitter = { ...environment.emitter, emit: input.sink.emit }
  emitSummary(
    { emitter, commandRun: environment.commandRun },
    {
      startedMs,
      nowMs: input.platform.clock.monotonicMs(),
      result: 'cancelled',
      isPreview: false,
    },
  )
  return toDeployResult(emitter, 'cancelled', await readPendingOperations(input))
}

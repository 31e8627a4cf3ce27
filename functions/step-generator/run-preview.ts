import { migrateProviders } from '../../shared/runtime/state/migrate-providers.ts'
import { resealForDeployment } from '../../shared/runtime/state/reseal-for-deployment.ts'
import { listOpenDeployments } from '../../shared/ports/open-deployments.ts'
import { DeploymentAborted } from '../../shared/engine/generator/finish-stage.ts'
import { createStackAttributes } from '../../shared/engine/telemetry/describe-operation.ts'
import { readState, pulumiFormatVersion } from '../../shared/runtime/compaction/fold-and-publish.ts'
import { noDurations } from '../../shared/engine/forecast/step-durations.ts'
import type { StepEmitter } from '../../shared/engine/events/step-emitter.ts'
import { deploymentPartsOf, stackPartsOf, type DeploymentId } from '../../shared/records/ids.ts'
import { describeForeignResources } from '../../shared/state/foreign-resources.ts'
import { createBase } from '../../shared/engine/deployment/state/base.ts'
import { previewCommand } from '../../shared/engine/commands/preview-command.ts'
import type { DeployResult, RunningDeployment } from '../../shared/engine/request.ts'
import { createError, messageOf } from '../../shared/errors/error.ts'
import { decodeSnapshot, manifestOf } from '../../shared/state/snapshot-codec.ts'
import { formatUpdatePlan } from '../../shared/engine/update-plan/update-plan-file-format.ts'
import { timestampOf } from '../../shared/state/timestamp.ts'
import { firstEpoch } from '../../shared/records/log.ts'
import type { Json } from '../../shared/values/json.ts'
import { readStepDurations } from '../../shared/runtime/forecast/read-step-durations.ts'
import { requireValidState } from './require-valid-state.ts'
import { readDeploymentStatus } from './deployment-status.ts'
import { toDeployResult, emitSummary } from './run-result.ts'
import {
  type RunEnvironment,
  closeRunEnvironment,
} from '../../shared/runtime/environment/run-environment.ts'
import { type RunInput } from '../../shared/runtime/environment/run-input.ts'

/**
 * Runs a preview against the current state of the stack, without records or a lock (I11). The state
 * includes the results that unfinished deployments have so far.
 */
export function runPreview(
  input: RunInput,
  environment: RunEnvironment,
  startedMs: number,
): RunningDeployment {
  const { platform, request } = input
  const { commandRun, emitter, providerStateSources } = environment
  const start = platform.telemetry.startTrace()
  if (start !== undefined)
    environment.trace.beginRun({
      name: `preview ${request.options.command}`,
      parent: start.parent ?? start,
      attributes: createStackAttributes(request.stack),
    })
  let isCancelled = false
  const execute = async (): Promise<DeployResult> => {
    try {
      const record = await platform.catalog.getStack(request.stack)
      if (record === undefined)
        throw createError('STACK_NOT_FOUND', `the stack '${request.stack}' does not exist`)
      for (const deployment of listOpenDeployments(record))
        await emitUnfinishedWarning(input, emitter, deployment)
      const storedState = await readState(platform, record)
      requireValidState(storedState)
      const foreignWarning = describeForeignResources(storedState, stackPartsOf(request.stack))
      if (foreignWarning !== undefined) emitter.report('warning', foreignWarning)
      const pendingForecast = startForecast(input, commandRun)
      const sealedState = await resealForDeployment(storedState, request)
      const state = await migrateProviders(sealedState, request, input.ports.random.uuid)
      const base = createBase(await decodeSnapshot(state, request.secrets), firstEpoch)
      providerStateSources.currentBase = base
      const hasSucceeded = await previewCommand(commandRun, base).catch(thrown => {
        // The reason of the early end was reported already.
        if (!(thrown instanceof DeploymentAborted)) emitter.report('error', messageOf(thrown))
        return false
      })
      const result = isCancelled
        ? 'cancelled'
        : hasSucceeded && !commandRun.hasFailed() && commandRun.readAbortError() === undefined
          ? 'succeeded'
          : 'failed'
      emitSummary(environment, {
        startedMs,
        nowMs: platform.clock.monotonicMs(),
        result,
        isPreview: true,
      })
      if (commandRun.readAbortError() !== undefined && !isCancelled)
        throw commandRun.readAbortError()
      return {
        ...toDeployResult(emitter, result, []),
        ...updatePlanFieldOf(input, commandRun, result),
        ...(await pendingForecast.finish()),
      }
    } finally {
      await closeRunEnvironment(environment)
    }
  }
  const stop = (): void => {
    isCancelled = true
    commandRun.abort()
    void environment.plugins.cancelAll()
  }
  return { done: execute(), cancel: stop, terminate: stop }
}

/**
 * Returns the field `updatePlan` of a preview's result: the text of the update plan. Returns no
 * field if the request needs no update plan, or the preview did not succeed.
 */
function updatePlanFieldOf(
  { platform, request }: RunInput,
  commandRun: RunEnvironment['commandRun'],
  result: DeployResult['result'],
): Pick<DeployResult, 'updatePlan'> {
  const draftedPlan = commandRun.readUpdatePlanDraft()
  if (draftedPlan === undefined || result !== 'succeeded') return {}
  const manifest = manifestOf(pulumiFormatVersion, timestampOf(platform.clock.now()))
  const { encrypt } = request.secrets.crypter
  const config = Object.fromEntries(
    [...request.config].map(([key, { text, isSecret, isObject }]) => [
      key,
      isSecret ? { secure: encrypt(text) } : isObject ? (JSON.parse(text) as Json) : text,
    ]),
  )
  return { updatePlan: formatUpdatePlan(draftedPlan, { manifest, config, encrypt }) }
}

/**
 * Starts to read the durations of earlier calls when the preview has its first step. No decision of
 * the preview depends on these durations. `finish` returns the field `forecast` of the preview's
 * result.
 */
function startForecast(
  { platform, request }: RunInput,
  { forecast }: RunEnvironment['commandRun'],
): { readonly finish: () => Promise<Pick<DeployResult, 'forecast'>> } {
  const { stack, options } = request
  const pendingDurations = forecast?.firstStep.then(() =>
    readStepDurations(platform, stack, options.command),
  )
  const finish = async (): Promise<Pick<DeployResult, 'forecast'>> => {
    if (forecast === undefined) return {}
    const durations = forecast.isEmpty() ? noDurations : ((await pendingDurations) ?? noDurations)
    return { forecast: forecast.compute(durations, options.parallel) }
  }
  return { finish }
}

/**
 * Warns that a deployment of the stack is running, interrupted or ending. The preview includes only
 * the results that this deployment has so far.
 */
async function emitUnfinishedWarning(
  { ports }: RunInput,
  emitter: StepEmitter,
  deployment: DeploymentId,
): Promise<void> {
  const status = await readDeploymentStatus(ports, deploymentPartsOf(deployment).stack, deployment)
  if (status.kind === 'none') return
  const { kind, number } = status
  const message =
    kind === 'running'
      ? `Deployment ${number} of this stack is running: this preview includes its results so far.`
      : kind === 'ending'
        ? `Deployment ${number} of this stack was interrupted and cannot be continued: \`antichain up\` closes it.`
        : `Deployment ${number} of this stack was interrupted. \`antichain resume\` continues it; \`antichain up\` closes it and starts a new one.`
  emitter.report('warning', message)
}

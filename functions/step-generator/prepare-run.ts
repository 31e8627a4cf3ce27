import { createProviderLookup } from '../../shared/engine/deployment/log/read-earlier-runs.ts'
import { createSealing } from '../../shared/engine/deployment/state/state-sealing.ts'
import { restoreTrace } from '../../shared/engine/telemetry/deployment-trace.ts'
import { createStackAttributes } from '../../shared/engine/telemetry/describe-operation.ts'
import { deploymentPartsOf } from '../../shared/records/ids.ts'
import type { DeployInput } from '../../shared/engine/request.ts'
import type { RunEnvironment } from '../../shared/runtime/environment/run-environment.ts'
import type { StartedDeployment } from './start-deployment.ts'

/**
 * Gives the run environment the base, and a lookup for the providers of earlier generator runs.
 * Begins the span of the generator run.
 */
export function prepareRun(
  { secrets }: Pick<DeployInput, 'secrets'>,
  { providerStateSources, trace }: Pick<RunEnvironment, 'providerStateSources' | 'trace'>,
  startedDeployment: Pick<StartedDeployment, 'base' | 'earlierRuns' | 'deployment' | 'pin'>,
): void {
  const { base, earlierRuns, deployment, pin } = startedDeployment
  trace.beginRun({
    name: 'generator run',
    parent: restoreTrace(deployment, pin).span,
    attributes: createStackAttributes(deploymentPartsOf(deployment).stack),
  })
  providerStateSources.currentBase = base
  if (earlierRuns !== undefined)
    providerStateSources.findInEarlierRuns = createProviderLookup(
      earlierRuns,
      createSealing(secrets),
    )
}

/** Returns the configuration of a deployment for its first event, without secret values. */
export function maskedConfigOf({
  config,
}: Pick<DeployInput, 'config'>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...config].map(([key, { isSecret, text }]) => [key, isSecret ? '[secret]' : text]),
  )
}

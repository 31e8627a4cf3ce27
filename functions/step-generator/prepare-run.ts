import { createProviderLookup } from '../../shared/engine/deployment/log/read-earlier-runs.ts'
import { createSealing } from '../../shared/engine/deployment/state/state-sealing.ts'
import type { DeployRequest } from '../../shared/engine/request.ts'
import type { RunEnvironment } from '../../shared/runtime/environment/run-environment.ts'
import type { StartedDeployment } from './start-deployment.ts'

/** Gives the run environment the base, and a lookup for the providers of earlier generator runs. */
export function prepareRun(
  { secrets }: Pick<DeployRequest, 'secrets'>,
  { providerStateSources }: Pick<RunEnvironment, 'providerStateSources'>,
  { base, earlierRuns }: Pick<StartedDeployment, 'base' | 'earlierRuns'>,
): void {
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
}: Pick<DeployRequest, 'config'>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...config].map(([key, { isSecret, text }]) => [key, isSecret ? '[secret]' : text]),
  )
}

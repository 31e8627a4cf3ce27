import type { CtyPath, CtyStep } from '../values/cty-path.ts'
import type { CtyValue } from '../values/cty-value.ts'
import type { ProviderFlaw } from './object-shape.ts'

/** The values of one part in the prior state, in the configuration and in the plan. */
export interface PlannedPart {
  readonly prior: CtyValue
  readonly config: CtyValue
  readonly planned: CtyValue
  readonly path: CtyPath
}

/** Returns the inner part at a step. `pick` returns the inner value of each of the three values. */
export function enterPlannedPart(
  { prior, config, planned, path }: PlannedPart,
  step: CtyStep,
  pick: (value: CtyValue) => CtyValue,
): PlannedPart {
  return {
    prior: pick(prior),
    config: pick(config),
    planned: pick(planned),
    path: [...path, step],
  }
}

/** Returns a flaw if the part is null in the plan or in the configuration, but not in both. */
export function findExistenceFlaw({
  config,
  planned,
  path,
}: PlannedPart): ProviderFlaw | undefined {
  if ((planned.kind === 'null') === (config.kind === 'null')) return undefined
  return planned.kind === 'null'
    ? { message: 'a configured value is planned as null', path }
    : { message: 'a value is planned, but the configured one is null', path }
}

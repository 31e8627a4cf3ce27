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

/** Returns a part of a part, in all three values. */
export function enterPlanned(
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

/** Returns a flaw if only one of plan and configuration has the part. */
export function existenceFlaw({ config, planned, path }: PlannedPart): ProviderFlaw | undefined {
  if ((planned.kind === 'null') === (config.kind === 'null')) return undefined
  return planned.kind === 'null'
    ? { message: 'planned for absence, but the configuration wants existence', path }
    : { message: 'planned for existence, but the configuration wants absence', path }
}

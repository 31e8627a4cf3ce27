import type { Urn } from '../../names/urn.ts'
import { createResourceState, type ResourceState } from '../../state/resource.ts'
import { type Step, stepOf, unrecordedStateReference } from '../step.ts'
import type { StepDurations } from './step-durations.ts'

/** The type of the resources in tests of forecasts. */
const forecastType = 'a:b:C'

/** Returns the URN of a resource. */
export function forecastUrnOf(name: string, type = forecastType): Urn {
  return `urn:pulumi:dev::shop::${type}::${name}` as Urn
}

/** Creates the state of a custom resource. `needs`: the names of its dependencies. */
export function createForecastState(
  name: string,
  needs: readonly string[] = [],
  fields: Partial<ResourceState> = {},
): ResourceState {
  const dependencies = needs.map(need => forecastUrnOf(need))
  const urn = forecastUrnOf(name, fields.type)
  return createResourceState({ urn, type: forecastType, custom: true, dependencies, ...fields })
}

/** Creates a step with a new state. */
export function createForecastStep(state: ResourceState, op: Step['op'] = 'create'): Step {
  return stepOf({ op, effect: 'add', next: state })
}

/** Creates the delete of a state. */
export function createForecastDelete(
  old: ResourceState,
  fields: Partial<Pick<Step, 'op' | 'skipCall'>> = {},
): Step {
  const tracked = { state: old, ref: unrecordedStateReference }
  return stepOf({ op: 'delete', effect: 'remove', old: tracked, ...fields })
}

/** Creates durations by resource, such as `create a` → 10. */
export function createForecastDurations(
  durationsMs: Readonly<Record<string, number>>,
): StepDurations {
  const byResource = Object.entries(durationsMs).map(([key, ms]): [string, number] => {
    const [call = '', name = ''] = key.split(' ')
    return [`${call} ${forecastUrnOf(name)}`, ms]
  })
  return { byResource: new Map(byResource), byType: new Map(), byPackage: new Map() }
}

import { isProviderType } from '../../../names/provider-reference.ts'
import { withoutEngineValues } from '../../../providers/provider-inputs.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { PropertyMap } from '../../../values/value.ts'

/**
 * Returns the outputs of a state. Provider resources of older versions have no outputs. For them,
 * the inputs without the values of the engine are returned, as in Pulumi's migration of such
 * states.
 */
export function oldOutputsOf(
  state: Pick<ResourceState, 'type' | 'inputs' | 'outputs'>,
): PropertyMap {
  if (state.outputs.size > 0 || !isProviderType(state.type)) return state.outputs
  return withoutEngineValues(state.inputs)
}

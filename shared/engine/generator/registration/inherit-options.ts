import type { DecisionInput } from '../context.ts'
import type { Inheritable, Registration } from './goal.ts'
import { inherit } from './goal.ts'
import { findExplicitProvider } from '../providers/resolve-provider.ts'

/** The parts of a registration that decide its inherited options. */
export type InheritingRequest = Inheritable &
  Pick<Registration, 'custom' | 'parent' | 'type' | 'provider' | 'providers'> & {
    readonly remote?: boolean
  }

/** The options that a registration has or inherits; `provider` '' = the default provider. */
export type Inheritance = Inheritable & Pick<Registration, 'provider'>

/**
 * Returns the options that a registration has or inherits from its parent. Source:
 * docs/spec/monitor.md#resourcemonitor steps 3 and 10.
 */
export function inheritOptions(
  input: Pick<DecisionInput, 'sets'>,
  request: InheritingRequest,
): Inheritance {
  const above = request.parent === '' ? undefined : input.sets.goals.get(request.parent)
  const { protect, retainOnDelete, deletedWith } = inherit(request, above)
  // A component has no provider of its own, but its children may use the one that it names.
  const provider =
    request.custom || request.remote === true
      ? findExplicitProvider(input, request)
      : request.provider || (above?.provider ?? '')
  return { protect, retainOnDelete, deletedWith, provider }
}

import type { DecisionInput } from '../context.ts'
import type { InheritableOptions, Registration } from './goal.ts'
import { inheritFromParent } from './goal.ts'
import { findExplicitProvider } from '../providers/default-providers.ts'

/** The parts of a registration that determine its inherited options. */
export type InheritanceRequest = InheritableOptions &
  Pick<Registration, 'custom' | 'parent' | 'type' | 'provider' | 'providers'> & {
    /** Whether the resource is a component that its provider constructs. Absent: no. */
    readonly remote?: boolean
  }

/**
 * The options that a registration has or inherits. `provider` is '' if neither the registration nor
 * a parent specifies one.
 */
export type Inheritance = InheritableOptions & Pick<Registration, 'provider'>

/**
 * Returns the options that a registration has or inherits from its parent. Source:
 * docs/spec/monitor.md#registerresource steps 3 and 10.
 */
export function inheritOptions(
  input: Pick<DecisionInput, 'sets'>,
  request: InheritanceRequest,
): Inheritance {
  const parentGoal = request.parent === '' ? undefined : input.sets.goals.get(request.parent)
  const { protect, retainOnDelete, deletedWith } = inheritFromParent(request, parentGoal)
  // Only transforms see the provider of a component: `resolveProvider` removes it from the goal.
  const provider =
    request.custom || request.remote === true
      ? findExplicitProvider(input, request)
      : request.provider || (parentGoal?.provider ?? '')
  return { protect, retainOnDelete, deletedWith, provider }
}

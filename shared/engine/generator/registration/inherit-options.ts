import type { GeneratorContext } from '../context.ts'
import type { Inheritable, Registration } from './goal.ts'
import { inherit } from './goal.ts'
import { findExplicitProvider } from '../providers/resolve-provider.ts'

/** What says what a registration inherits. */
export type InheritingRequest = Inheritable &
  Pick<Registration, 'custom' | 'parent' | 'type' | 'provider' | 'providers'> & {
    readonly remote?: boolean
  }

/** What a registration has itself or gets from its parent; `provider` '' = the default one. */
export type Inheritance = Inheritable & Pick<Registration, 'provider'>

/** What a parent hands down. Source: docs/spec/monitor.md#resourcemonitor steps 3 and 10. */
export function inheritOptions(ctx: GeneratorContext, request: InheritingRequest): Inheritance {
  const above = request.parent === '' ? undefined : ctx.sets.goals.get(request.parent)
  const { protect, retainOnDelete, deletedWith } = inherit(request, above)
  // A component is managed by nobody, but what it names may be meant for its children.
  const provider =
    request.custom || request.remote === true
      ? findExplicitProvider(ctx, request)
      : request.provider || (above?.provider ?? '')
  return { protect, retainOnDelete, deletedWith, provider }
}

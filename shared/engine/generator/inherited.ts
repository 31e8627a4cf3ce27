import type { GeneratorContext } from './context.ts'
import type { Inheritable, Registration } from './goal.ts'
import { inherit } from './goal.ts'
import { explicitProvider } from './provider-resolution.ts'

/** What says what a registration inherits. */
export type Heir = Inheritable &
  Pick<Registration, 'custom' | 'parent' | 'type' | 'provider' | 'providers'> & {
    readonly remote?: boolean
  }

/** What a registration has itself or gets from its parent; `provider` '' = the default one. */
export type Inheritance = Inheritable & Pick<Registration, 'provider'>

/** What a parent hands down. Source: docs/spec/monitor.md#resourcemonitor steps 3 and 10. */
export function inherited(ctx: GeneratorContext, asked: Heir): Inheritance {
  const above = asked.parent === '' ? undefined : ctx.sets.goals.get(asked.parent)
  const { protect, retainOnDelete, deletedWith } = inherit(asked, above)
  // A component is managed by nobody, but what it names may be meant for its children.
  const provider =
    asked.custom || asked.remote === true
      ? explicitProvider(ctx, asked)
      : asked.provider || (above?.provider ?? '')
  return { protect, retainOnDelete, deletedWith, provider }
}

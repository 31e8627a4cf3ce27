import { allDependencies, type Dependency } from '../graph/closures.ts'
import type { Step } from '../step.ts'
import { bail, type GeneratorContext } from './context.ts'

const words: Readonly<Record<Dependency['kind'], string>> = {
  parent: 'parent',
  dependency: 'dependency',
  property: 'dependency',
  'deleted with': 'deletedWith',
  'replace with': 'replaceWith',
}

/**
 * Refuses a step that names what neither the program nor the state has: its state would not be
 * whole (I7). Pulumi carries such a step out and then finds its own snapshot wrong; here nothing
 * is carried out.
 */
export function requireKnown(ctx: GeneratorContext, steps: readonly Step[]): void {
  const { current, skipped, failed, aliased } = ctx.sets
  for (const { urn, next } of steps) {
    if (next === undefined) continue
    for (const { kind, urn: named } of allDependencies(next)) {
      const isMade = current.has(named) || skipped.has(named) || failed.has(named)
      if (isMade || aliased.has(named) || ctx.base.live(named) !== undefined) continue
      bail(ctx, `resource '${urn}': its ${words[kind]} '${named}' is not known`, urn)
    }
  }
}

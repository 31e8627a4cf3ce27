import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { listDependencies, type Dependency } from '../../graph/closures.ts'
import { bail, type GeneratorContext } from '../context.ts'

const labels: Readonly<Record<Dependency['kind'], string>> = {
  parent: 'parent',
  dependency: 'dependency',
  property: 'dependency',
  'deleted with': 'deletedWith',
  'replace with': 'replaceWith',
}

/** What a registration or read names. */
type DependencyNames = Pick<
  ResourceState,
  'parent' | 'dependencies' | 'propertyDependencies' | 'deletedWith' | 'replaceWith'
>

/**
 * Refuses a registration that names what neither the program nor the state has: its state would not
 * be whole (I7). Pulumi carries it out and then finds its own snapshot wrong; here nothing is
 * carried out.
 */
export function requireKnownDependencies(
  ctx: GeneratorContext,
  urn: Urn,
  naming: DependencyNames,
): void {
  const { current, skipped, failed, aliased } = ctx.sets
  for (const { kind, urn: named } of listDependencies(naming)) {
    const isMade = current.has(named) || skipped.has(named) || failed.has(named)
    if (isMade || aliased.has(named) || ctx.base.liveIndexOf(named) !== undefined) continue
    bail(ctx, `resource '${urn}': its ${labels[kind]} '${named}' is not known`, urn)
  }
}

import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { listDependencies, type Dependency } from '../../graph/closures.ts'
import type { DecisionInput } from '../context.ts'
import { decided, failDeployment, type Result } from '../stage.ts'

const labels: Readonly<Record<Dependency['kind'], string>> = {
  parent: 'parent',
  dependency: 'dependency',
  property: 'dependency',
  'deleted with': 'deletedWith',
  'replace with': 'replaceWith',
}

/** The resources that a registration or read names. */
type DependencyNames = Pick<
  ResourceState,
  'parent' | 'dependencies' | 'propertyDependencies' | 'deletedWith' | 'replaceWith'
>

/**
 * Refuses a registration that names a resource which neither the program nor the state has: its
 * state would violate I7. Pulumi creates the resource and then reports a snapshot integrity error;
 * here nothing is created.
 */
export function requireKnownDependencies(
  { sets, base }: Pick<DecisionInput, 'sets' | 'base'>,
  urn: Urn,
  names: DependencyNames,
): Result<void> {
  const { current, skipped, failed, aliased } = sets
  for (const { kind, urn: named } of listDependencies(names)) {
    const isRegistered = current.has(named) || skipped.has(named) || failed.has(named)
    if (isRegistered || aliased.has(named) || base.liveIndexOf(named) !== undefined) continue
    return failDeployment(`resource '${urn}': its ${labels[kind]} '${named}' is not known`, urn)
  }
  return decided(undefined)
}

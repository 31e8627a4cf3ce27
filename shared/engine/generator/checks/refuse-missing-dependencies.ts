import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { listDependencies, type Dependency } from '../../graph/closures.ts'
import type { DecisionInput } from '../context.ts'
import { toDecided, failDeployment, type Result } from '../stage.ts'

const dependencyLabels: Readonly<Record<Dependency['kind'], string>> = {
  parent: 'parent',
  dependency: 'dependency',
  property: 'dependency',
  'deleted with': 'deletedWith',
  'replace with': 'replaceWith',
}

/** The members of a registration or read that name other resources. */
type DependencyFields = Pick<
  ResourceState,
  'parent' | 'dependencies' | 'propertyDependencies' | 'deletedWith' | 'replaceWith'
>

/**
 * Refuses a registration with a dependency that neither the program nor the state has. With such a
 * dependency, the snapshot would break the rules of states (I7). Pulumi creates the resource and
 * then reports a snapshot integrity error. Here nothing is created.
 */
export function refuseMissingDependencies(
  { sets, base }: Pick<DecisionInput, 'sets' | 'base'>,
  urn: Urn,
  dependent: DependencyFields,
): Result<void> {
  const { currentStates, uncreatedUrns, failedUrns, aliasingUrns } = sets
  for (const { kind, urn: dependencyUrn } of listDependencies(dependent)) {
    const isRegistered =
      currentStates.has(dependencyUrn) ||
      uncreatedUrns.has(dependencyUrn) ||
      failedUrns.has(dependencyUrn)
    if (
      isRegistered ||
      aliasingUrns.has(dependencyUrn) ||
      base.liveIndexOf(dependencyUrn) !== undefined
    )
      continue
    return failDeployment(
      `resource '${urn}': its ${dependencyLabels[kind]} '${dependencyUrn}' is not known`,
      urn,
    )
  }
  return toDecided(undefined)
}

import type { ResourceState } from '../../../state/resource.ts'
import type { Urn } from '../../../names/urn.ts'
import { listDependencies } from '../../graph/closures.ts'
import type { Scope } from '../targets/scope.ts'

/**
 * The states of a list that a refresh is about, of those that it would look at: targets, or all but
 * what is left out, and with these what depends on them where that is asked for. Providers make no
 * dependents here. Source: docs/spec/step-generation.md#targets.
 */
export function selectRefreshed(
  states: readonly ResourceState[],
  scope: Scope,
): ReadonlySet<ResourceState> {
  const { targets, excludes, targetDependents, excludeDependents } = scope
  if (!targets.isConstrained && !excludes.isConstrained) return new Set(states)
  // Excludes win here, where the rest of a deployment lets targets win.
  const named = excludes.isConstrained ? excludes : targets
  const hasDependents = excludes.isConstrained ? excludeDependents : targetDependents
  const grown = new Set<Urn>()
  const isNamed = (urn: Urn): boolean => named.has(urn) || grown.has(urn)
  const chosen = states.filter(state => {
    if (isNamed(state.urn)) return true
    if (!hasDependents || !listDependencies(state).some(({ urn }) => isNamed(urn))) return false
    grown.add(state.urn)
    return true
  })
  if (!excludes.isConstrained) return new Set(chosen)
  const excluded = new Set(chosen)
  return new Set(states.filter(state => !excluded.has(state)))
}

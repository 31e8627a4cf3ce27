import { isProviderType } from '../../../names/provider-reference.ts'
import { urnPartsOf, stackType, type Urn } from '../../../names/urn.ts'
import { type UrnSet, urnSetOf } from '../../../names/urn-set.ts'
import type { Targeting } from '../../../records/log.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { Base } from '../../deployment/state/base.ts'
import { isDependentOn, collectProtected } from '../../graph/closures.ts'
import type { GeneratorSets } from '../sets.ts'

/** What a deployment is about: its targets and what is left out, as sets. */
export interface Scope {
  readonly targets: UrnSet
  readonly excludes: UrnSet
  readonly replaces: UrnSet
  readonly targetDependents: boolean
  readonly excludeDependents: boolean
  /** Protected resources are among what is left out. */
  readonly excludeProtected: boolean
}

/** The sets of the options; protected resources are those of the base. */
export function scopeOf(targeting: Targeting | undefined, { graph }: Pick<Base, 'graph'>): Scope {
  const excludeProtected = targeting?.excludeProtected === true
  const kept = excludeProtected ? collectProtected(graph) : []
  return {
    targets: urnSetOf(targeting?.targets ?? []),
    excludes: urnSetOf([...(targeting?.excludes ?? []), ...kept]),
    replaces: urnSetOf(targeting?.replaces ?? []),
    targetDependents: targeting?.targetDependents === true,
    excludeDependents: targeting?.excludeDependents === true,
    excludeProtected,
  }
}

/** What the decisions about a resource's place in the scope are made from. */
interface ScopeInput {
  readonly scope: Scope
  readonly sets: Pick<GeneratorSets, 'targeted' | 'excluded'>
}

/**
 * Whether a registered resource is to be brought to its goal. Providers and the root stack always
 * are: others need them, and nobody thinks of them. Source:
 * docs/spec/step-generation.md#check-and-policies, docs/spec/step-generation.md#targets.
 */
export function isTargetedRegistration(input: ScopeInput, next: ResourceState): boolean {
  if (isProviderType(next.type) || urnPartsOf(next.urn).qualifiedType === stackType) return true
  return isIncluded(input, next)
}

/**
 * Whether a state is what the deployment is about. Source: docs/spec/step-generation.md#targets.
 */
export function isIncluded(input: ScopeInput, state: ResourceState): boolean {
  const { targets, excludes } = input.scope
  if (targets.isConstrained) return isTargeted(input, state)
  return !excludes.isConstrained || !isExcluded(input, state)
}

function isTargeted({ scope, sets }: ScopeInput, state: ResourceState): boolean {
  const { targets, targetDependents } = scope
  if (targets.has(state.urn)) return true
  return targetDependents && isDependentOn(state, urn => targets.has(urn) || sets.targeted.has(urn))
}

function isExcluded({ scope, sets }: ScopeInput, state: ResourceState): boolean {
  const { excludes, excludeDependents } = scope
  if (excludes.has(state.urn)) return true
  return (
    excludeDependents && isDependentOn(state, urn => excludes.has(urn) || sets.excluded.has(urn))
  )
}

/**
 * Takes down what a registration means for those that depend on it. A provider or the stack, which
 * is brought to its goal in any case, makes no targets of them unless it is one itself.
 */
export function recordScope(input: ScopeInput, next: ResourceState, isIncluded: boolean): void {
  const { scope, sets } = input
  if (scope.excludes.isConstrained && !isIncluded && isExcluded(input, next))
    sets.excluded.add(next.urn)
  else if (scope.targets.isConstrained && isIncluded && isTargeted(input, next))
    sets.targeted.add(next.urn)
}

/** Whether a resource is replaced whatever its provider says: on request, or as it is tainted. */
export function isReplacedAnyway(
  { replaces }: Pick<Scope, 'replaces'>,
  urn: Urn,
  old: Pick<ResourceState, 'taint'> | undefined,
): boolean {
  return (replaces.isConstrained && replaces.has(urn)) || old?.taint === true
}

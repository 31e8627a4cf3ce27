import { isProviderType } from '../../../names/provider-reference.ts'
import { urnPartsOf, stackType, type Urn } from '../../../names/urn.ts'
import { type UrnSet, createUrnSet } from '../../../names/urn-set.ts'
import type { Targeting } from '../../../records/targeting.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { Base } from '../../deployment/state/base.ts'
import { isDependentOn, collectProtected } from '../../graph/closures.ts'
import type { SetsDelta } from '../sets-delta.ts'
import type { GeneratorSets } from '../sets.ts'

/** The scope of a deployment: its targets, excludes and replaces, as sets. */
export interface Scope {
  readonly targets: UrnSet
  readonly excludes: UrnSet
  readonly replaces: UrnSet
  readonly targetDependents: boolean
  readonly excludeDependents: boolean
  /** Whether `excludes` also contains the protected resources and their dependencies. */
  readonly excludeProtected: boolean
}

/** Creates the scope from the options. Protected resources are looked up in the base. */
export function scopeOf(targeting: Targeting | undefined, { graph }: Pick<Base, 'graph'>): Scope {
  const excludeProtected = targeting?.excludeProtected === true
  const protectedUrns = excludeProtected ? collectProtected(graph) : []
  return {
    targets: createUrnSet(targeting?.targets ?? []),
    excludes: createUrnSet([...(targeting?.excludes ?? []), ...protectedUrns]),
    replaces: createUrnSet(targeting?.replaces ?? []),
    targetDependents: targeting?.targetDependents === true,
    excludeDependents: targeting?.excludeDependents === true,
    excludeProtected,
  }
}

/** The data that determines whether a resource is in the scope. */
interface ScopeInput {
  readonly scope: Scope
  readonly sets: Pick<GeneratorSets, 'targetedUrns' | 'excludedUrns'>
}

/**
 * Reports whether the scope contains a registered resource. The scope always contains providers and
 * the root resource of the stack, because other resources need them. Source:
 * docs/spec/step-generation.md#check-and-policies, docs/spec/step-generation.md#targets.
 */
export function isTargetedRegistration(input: ScopeInput, next: ResourceState): boolean {
  if (isProviderType(next.type) || urnPartsOf(next.urn).qualifiedType === stackType) return true
  return isIncluded(input, next)
}

/** Reports whether a state is in the scope. Source: docs/spec/step-generation.md#targets. */
export function isIncluded(input: ScopeInput, state: ResourceState): boolean {
  const { targets, excludes } = input.scope
  if (targets.isConstrained) return isTargeted(input, state)
  return !excludes.isConstrained || !isExcluded(input, state)
}

function isTargeted({ scope, sets }: ScopeInput, state: ResourceState): boolean {
  const { targets, targetDependents } = scope
  if (targets.has(state.urn)) return true
  return (
    targetDependents && isDependentOn(state, urn => targets.has(urn) || sets.targetedUrns.has(urn))
  )
}

function isExcluded({ scope, sets }: ScopeInput, state: ResourceState): boolean {
  const { excludes, excludeDependents } = scope
  if (excludes.has(state.urn)) return true
  return (
    excludeDependents &&
    isDependentOn(state, urn => excludes.has(urn) || sets.excludedUrns.has(urn))
  )
}

/**
 * Returns the delta that extends the scope to dependents of a registration. `isInScope`: whether
 * the scope contains the registration. The scope always contains providers and the root resource,
 * but these extend the targets only if they are targets themselves.
 */
export function createScopeDelta(
  input: ScopeInput,
  next: ResourceState,
  isInScope: boolean,
): SetsDelta {
  const { targets, excludes } = input.scope
  if (excludes.isConstrained && !isInScope && isExcluded(input, next))
    return { excludedUrns: [next.urn] }
  if (targets.isConstrained && isInScope && isTargeted(input, next)) return { targeted: [next.urn] }
  return {}
}

/** Reports whether a resource is replaced without a diff: on request, or because of its taint. */
export function isReplacedWithoutDiff(
  { replaces }: Pick<Scope, 'replaces'>,
  urn: Urn,
  old: Pick<ResourceState, 'taint'> | undefined,
): boolean {
  return (replaces.isConstrained && replaces.has(urn)) || old?.taint === true
}

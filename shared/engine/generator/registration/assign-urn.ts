import { childUrnOf, urnPartsOf, type Urn } from '../../../names/urn.ts'
import { type ResourceState, createResourceState } from '../../../state/resource.ts'
import type { TrackedState } from '../../step.ts'
import type { Alias } from '../../../names/alias.ts'
import type { DecisionInput } from '../context.ts'
import type { SetsDelta } from '../sets-delta.ts'
import type { CurrentState } from '../sets.ts'
import { toDecided, type FailedResult, failDeployment, type Result } from '../stage.ts'
import { listAliasUrns } from './list-alias-urns.ts'
import { type Goal, registeredGoalOf } from './goal.ts'

/** The URN and the old state that the generator assigned to a registration. */
export interface UrnAssignment {
  readonly urn: Urn
  readonly old: TrackedState | undefined
  /**
   * The index of the old state in the base, even after a refresh found that the resource is gone.
   * Undefined without a state in the base, and for an old state that the registration imported.
   */
  readonly baseIndex: number | undefined
  /**
   * The alias under which the old state was found. Undefined if the old state has the URN itself.
   */
  readonly alias: Urn | undefined
  /**
   * The resource that this registration imported. Its state is the old state for the later stages.
   */
  readonly imported?: CurrentState
}

/** The fields of a registration or read that determine its URN. */
type UrnFields = Pick<Goal, 'type' | 'name' | 'parent'>

/** Returns the URN that results from the type, the name and the parent of a registration. */
export function registrationUrnOf(
  input: Pick<DecisionInput, 'stack' | 'project'>,
  goal: UrnFields,
): Urn {
  const parentType = goal.parent === '' ? undefined : urnPartsOf(goal.parent).qualifiedType
  return childUrnOf(input, parentType, goal)
}

/**
 * Assigns a URN and an old state to a registration. The function is synchronous, and its caller
 * applies the delta immediately. So two registrations never get the same URN. Fails for an unknown
 * parent, a duplicate URN, or an alias that another resource has already. Source:
 * docs/spec/urns.md#urns-and-aliases.
 */
export function assignUrn(
  input: Pick<DecisionInput, 'stack' | 'project' | 'sets' | 'base'>,
  goal: UrnFields & { readonly aliases: readonly Alias[] },
): Result<UrnAssignment> {
  const { sets, base } = input
  if (
    goal.parent !== '' &&
    !sets.registeredUrns.has(goal.parent) &&
    !sets.currentStates.has(goal.parent)
  )
    return failDeployment(`could not find parent resource ${goal.parent}`)
  const urn = registrationUrnOf(input, goal)
  if (sets.registeredUrns.has(urn))
    return failDeployment(`Duplicate resource URN '${urn}'; try giving it a unique name`, urn)
  const aliasingUrn = sets.aliasingUrns.get(urn)
  if (aliasingUrn !== undefined)
    return failDeployment(
      `Resource '${urn}' has the URN that '${aliasingUrn}' has as an alias`,
      urn,
    )
  const registeredDelta: SetsDelta = { registeredUrns: [urn] }
  const liveIndex = base.liveIndexOf(urn)
  if (liveIndex !== undefined)
    return toDecided(
      { urn, old: base.trackedStateAt(liveIndex), baseIndex: liveIndex, alias: undefined },
      registeredDelta,
    )
  const aliasedResource = { stack: input.stack, project: input.project, ...goal }
  for (const alias of listAliasUrns(aliasedResource, currentUrn =>
    sets.formerUrns.get(currentUrn),
  )) {
    const baseIndex = base.liveIndexOf(alias)
    if (baseIndex === undefined) continue
    const conflict = findAliasConflict(input, urn, alias)
    if (conflict !== undefined) return { ...conflict, delta: registeredDelta }
    const delta = { ...registeredDelta, aliased: [[alias, urn] as const] }
    return toDecided({ urn, old: base.trackedStateAt(baseIndex), baseIndex, alias }, delta)
  }
  return toDecided({ urn, old: undefined, baseIndex: undefined, alias: undefined }, registeredDelta)
}

/**
 * Assigns a URN and an old state to a registration like `assignUrn`. The delta also has the parts of
 * the goal that later decisions need.
 */
export function registerGoal(
  input: Pick<DecisionInput, 'stack' | 'project' | 'sets' | 'base'>,
  goal: Goal,
): Result<UrnAssignment> {
  const result = assignUrn(input, goal)
  if (result.kind === 'failed') return result
  const goals = [[result.value.urn, registeredGoalOf(goal)]] as const
  return { ...result, delta: { ...result.delta, goals } }
}

function findAliasConflict(
  { sets }: Pick<DecisionInput, 'sets'>,
  urn: Urn,
  alias: Urn,
): FailedResult | undefined {
  if (sets.registeredUrns.has(alias))
    return failDeployment(
      `Duplicate resource URN '${alias}' conflicting with alias on resource with URN '${urn}'`,
      urn,
    )
  const aliasingUrn = sets.aliasingUrns.get(alias)
  // The two URNs are equal if an earlier generator run recorded the alias of this registration.
  if (aliasingUrn === undefined || aliasingUrn === urn) return undefined
  return failDeployment(
    `Alias '${alias}' of resource '${urn}' is an alias of '${aliasingUrn}' already`,
    urn,
  )
}

/**
 * Returns the state that a goal requests, before Check. Times and `refreshBeforeUpdate` come from
 * the old state.
 */
export function draftStateOf(goal: Goal, assignment: UrnAssignment): ResourceState {
  const old = assignment.old?.state
  return createResourceState({
    urn: assignment.urn,
    type: goal.type,
    custom: goal.custom,
    inputs: goal.inputs,
    parent: goal.parent,
    protect: goal.protect ?? false,
    retainOnDelete: goal.retainOnDelete ?? false,
    dependencies: goal.dependencies,
    propertyDependencies: goal.propertyDependencies,
    provider: goal.provider,
    additionalSecretOutputs: goal.additionalSecretOutputs,
    aliases: assignment.alias === undefined ? [] : [assignment.alias],
    customTimeouts: goal.customTimeouts,
    deletedWith: goal.deletedWith,
    replaceWith: goal.replaceWith,
    ignoreChanges: goal.ignoreChanges,
    hideDiff: goal.hideDiff,
    replaceOnChanges: goal.replaceOnChanges,
    resourceHooks: goal.resourceHooks,
    // As in Pulumi, the state of an imported resource has no trigger.
    replacementTrigger: assignment.imported === undefined ? goal.replacementTrigger : null,
    importID: goal.importId,
    extensionRef: goal.extensionRef ?? '',
    sourcePosition: goal.sourcePosition,
    stackTrace: goal.stackTrace,
    created: old?.created ?? '',
    modified: old?.modified ?? '',
    refreshBeforeUpdate: old?.refreshBeforeUpdate ?? false,
  })
}

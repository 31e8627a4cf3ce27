import { childUrnOf, urnPartsOf, type Urn } from '../../../names/urn.ts'
import { type ResourceState, createResourceState } from '../../../state/resource.ts'
import type { TrackedState } from '../../step.ts'
import type { Alias } from '../../../names/alias.ts'
import type { DecisionInput } from '../context.ts'
import type { SetsDelta } from '../sets-delta.ts'
import type { CurrentState } from '../sets.ts'
import { decided, type Failed, failDeployment, type Result } from '../stage.ts'
import { resolveAliases } from './aliases.ts'
import type { Goal } from './goal.ts'

/** A registration with its URN and its old state. */
export interface UrnClaim {
  readonly urn: Urn
  readonly old: TrackedState | undefined
  /** Index of the old state in the base. */
  readonly index: number | undefined
  /** The alias that matched, if one did. */
  readonly alias: Urn | undefined
  /** The imported resource, which is the old state from then on. */
  readonly imported?: CurrentState
}

/** The members of a goal or read that name its resource. */
type ClaimedNames = Pick<Goal, 'type' | 'name' | 'parent'>

/** Returns the URN that a registration has by its type, name and parent. */
export function claimedUrnOf(
  input: Pick<DecisionInput, 'stack' | 'project'>,
  goal: ClaimedNames,
): Urn {
  const qualified = goal.parent === '' ? undefined : urnPartsOf(goal.parent).qualifiedType
  return childUrnOf(input, qualified, goal)
}

/**
 * Gives a registration its URN and its old state. Synchronous, and its delta is applied at once, so
 * that two registrations never get one URN. Fails for an unknown parent, a duplicate URN, or an
 * alias that is taken. Source: docs/spec/urns.md#urns-and-aliases.
 */
export function claimUrn(
  input: Pick<DecisionInput, 'stack' | 'project' | 'sets' | 'base'>,
  goal: ClaimedNames & { readonly aliases: readonly Alias[] },
): Result<UrnClaim> {
  const { sets, base } = input
  if (goal.parent !== '' && !sets.registered.has(goal.parent) && !sets.current.has(goal.parent))
    return failDeployment(`could not find parent resource ${goal.parent}`)
  const urn = claimedUrnOf(input, goal)
  if (sets.registered.has(urn))
    return failDeployment(`Duplicate resource URN '${urn}'; try giving it a unique name`, urn)
  const taker = sets.aliased.get(urn)
  if (taker !== undefined)
    return failDeployment(`Resource '${urn}' has the URN that '${taker}' claims as an alias`, urn)
  const registered: SetsDelta = { registered: [urn] }
  const here = base.liveIndexOf(urn)
  if (here !== undefined)
    return decided({ urn, old: base.trackedAt(here), index: here, alias: undefined }, registered)
  const subject = { stack: input.stack, project: input.project, ...goal }
  for (const alias of resolveAliases(subject, former => sets.formerUrns.get(former))) {
    const index = base.liveIndexOf(alias)
    if (index === undefined) continue
    const conflict = findAliasConflict(input, urn, alias)
    if (conflict !== undefined) return { ...conflict, delta: registered }
    const delta = { ...registered, aliased: [[alias, urn] as const] }
    return decided({ urn, old: base.trackedAt(index), index, alias }, delta)
  }
  return decided({ urn, old: undefined, index: undefined, alias: undefined }, registered)
}

function findAliasConflict(
  { sets }: Pick<DecisionInput, 'sets'>,
  urn: Urn,
  alias: Urn,
): Failed | undefined {
  if (sets.registered.has(alias))
    return failDeployment(
      `Duplicate resource URN '${alias}' conflicting with alias on resource with URN '${urn}'`,
      urn,
    )
  const taker = sets.aliased.get(alias)
  // An earlier generator of this deployment may have decided the same.
  if (taker === undefined || taker === urn) return undefined
  return failDeployment(
    `Alias '${alias}' of resource '${urn}' is claimed by '${taker}' already`,
    urn,
  )
}

/** Returns the state that a goal asks for before Check, with the parts that the old state keeps. */
export function draftStateOf(goal: Goal, claim: UrnClaim): ResourceState {
  const old = claim.old?.state
  return createResourceState({
    urn: claim.urn,
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
    aliases: claim.alias === undefined ? [] : [claim.alias],
    customTimeouts: goal.customTimeouts,
    deletedWith: goal.deletedWith,
    replaceWith: goal.replaceWith,
    ignoreChanges: goal.ignoreChanges,
    hideDiff: goal.hideDiff,
    replaceOnChanges: goal.replaceOnChanges,
    resourceHooks: goal.resourceHooks,
    // As in Pulumi: an imported state is compared without a trigger, and keeps none.
    replacementTrigger: claim.imported === undefined ? goal.replacementTrigger : null,
    importID: goal.importId,
    extensionRef: goal.extensionRef ?? '',
    sourcePosition: goal.sourcePosition,
    stackTrace: goal.stackTrace,
    created: old?.created ?? '',
    modified: old?.modified ?? '',
    refreshBeforeUpdate: old?.refreshBeforeUpdate ?? false,
  })
}

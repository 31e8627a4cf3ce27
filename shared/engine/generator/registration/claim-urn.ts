import { childUrnOf, urnPartsOf, type Urn } from '../../../names/urn.ts'
import { type ResourceState, createResourceState } from '../../../state/resource.ts'
import type { TrackedState } from '../../step.ts'
import type { Alias } from '../../../names/alias.ts'
import { resolveAliases } from './aliases.ts'
import { bail, type GeneratorContext } from '../context.ts'
import type { Goal } from './goal.ts'
import type { CurrentState } from '../sets.ts'

/** A registration that got its URN and found its old state. */
export interface UrnClaim {
  readonly urn: Urn
  readonly old: TrackedState | undefined
  /** Index of the old state in the base. */
  readonly index: number | undefined
  /** The alias that matched, if one did. */
  readonly alias: Urn | undefined
  /** What was imported for it: its old state from then on. */
  readonly imported?: CurrentState
}

/**
 * Gives a registration its URN and its old state; synchronous, so that two never get one URN.
 * Ends the deployment for an unknown parent, a duplicate URN, or an alias that is taken.
 * Source: docs/spec/urns.md#urns-and-aliases.
 */
export function claimUrn(
  ctx: GeneratorContext,
  goal: {
    readonly type: string
    readonly name: string
    readonly parent: Urn | ''
    readonly aliases: readonly Alias[]
  },
): UrnClaim {
  const { sets, base } = ctx
  if (goal.parent !== '' && !sets.registered.has(goal.parent) && !sets.current.has(goal.parent))
    bail(ctx, `could not find parent resource ${goal.parent}`)
  const qualified = goal.parent === '' ? undefined : urnPartsOf(goal.parent).qualifiedType
  const urn = childUrnOf(ctx, qualified, goal)
  if (sets.registered.has(urn))
    bail(ctx, `Duplicate resource URN '${urn}'; try giving it a unique name`, urn)
  const taker = sets.aliased.get(urn)
  if (taker !== undefined)
    bail(ctx, `Resource '${urn}' has the URN that '${taker}' claims as an alias`, urn)
  sets.registered.add(urn)
  const here = base.liveIndexOf(urn)
  if (here !== undefined) return { urn, old: base.trackedAt(here), index: here, alias: undefined }
  const subject = { stack: ctx.stack, project: ctx.project, ...goal }
  for (const alias of resolveAliases(subject, former => sets.formerUrns.get(former))) {
    const index = base.liveIndexOf(alias)
    if (index === undefined) continue
    claimAlias(ctx, urn, alias)
    return { urn, old: base.trackedAt(index), index, alias }
  }
  return { urn, old: undefined, index: undefined, alias: undefined }
}

function claimAlias(ctx: GeneratorContext, urn: Urn, alias: Urn): void {
  const { sets } = ctx
  if (sets.registered.has(alias))
    bail(
      ctx,
      `Duplicate resource URN '${alias}' conflicting with alias on resource with URN '${urn}'`,
      urn,
    )
  const taker = sets.aliased.get(alias)
  // An earlier life of this deployment may have decided the very same.
  if (taker !== undefined && taker !== urn)
    bail(ctx, `Alias '${alias}' of resource '${urn}' is claimed by '${taker}' already`, urn)
  sets.aliased.set(alias, urn)
  sets.formerUrns.set(urn, alias)
  ctx.providers.alias(alias, urn)
}

/** The state that a goal asks for, before Check: what comes from the old state is taken over. */
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
    // As in the original: what is compared after an import has no trigger, nor is one kept of it.
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

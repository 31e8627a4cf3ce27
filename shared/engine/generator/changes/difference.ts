import { parseReference } from '../../../names/provider-reference.ts'
import { type DiffResult, noDiff } from '../../../providers/provider.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { equalMaps, equalValues } from '../../../values/equal.ts'
import { containsUnknown, stripSecrets } from '../../../values/walk.ts'
import type { PropertyValue } from '../../../values/value.ts'
import { findProviderInBase } from '../../deployment/state/base.ts'
import { bail, type GeneratorContext, loadProvider } from '../context.ts'
import type { Candidate } from '../registration/candidate.ts'
import { requestConfigDiff } from '../providers/resource-driver.ts'
import { isReplacedAnyway } from '../targets/scope.ts'
import { createForcedDiff, isReplacement } from './decide-change.ts'

/** A difference, and whether the replacement trigger fired. */
export interface Difference {
  readonly diff: DiffResult
  readonly triggered: boolean
}

/**
 * The first reason that applies decides; only the last of them asks the provider. Source:
 * docs/spec/step-generation.md#diff-decision.
 */
export async function computeDifference(
  ctx: GeneratorContext,
  candidate: Candidate,
  old: ResourceState,
): Promise<Difference> {
  const { next, goal, compared, driver } = candidate
  if (hasTriggerFired(ctx, old.replacementTrigger, next))
    return { diff: { ...createForcedDiff(''), changes: 'some' }, triggered: true }
  const withoutTrigger = (diff: DiffResult): Difference => ({ diff, triggered: false })
  if (isReplacedAnyway(ctx.scope, next.urn, old)) return withoutTrigger(createForcedDiff('id'))
  if (next.replaceWith.some(urn => ctx.sets.replaces.has(urn)))
    return withoutTrigger(createForcedDiff('replaceWith'))
  if (next.deletedWith !== '' && ctx.sets.replaces.has(next.deletedWith))
    return withoutTrigger(createForcedDiff('deletedWith'))
  if (await isProviderChanged(ctx, old, next)) return withoutTrigger(createForcedDiff('provider'))
  if (ctx.trustsInputs && equalMaps(old.inputs, compared)) return withoutTrigger(noDiff)
  return withoutTrigger(await driver.diff(old, compared, goal.ignoreChanges))
}

function hasTriggerFired(
  ctx: GeneratorContext,
  before: PropertyValue,
  next: ResourceState,
): boolean {
  const now = next.replacementTrigger
  if (containsUnknown(now) && !ctx.preview)
    bail(ctx, `replacement trigger contains unknowns for ${next.urn}`, next.urn)
  if (containsUnknown(now) || containsUnknown(before)) return true
  if (before === null || now === null) return false
  return !equalValues(stripSecrets(before), stripSecrets(now))
}

/**
 * Whether a resource moves to a provider that its old one cannot be updated to. Source:
 * docs/spec/step-generation.md#provider-change.
 */
async function isProviderChanged(
  ctx: GeneratorContext,
  old: ResourceState,
  next: ResourceState,
): Promise<boolean> {
  if (old.provider === next.provider) return false
  if (old.provider === '' || next.provider === '') return true
  const before = parseReference(old.provider)
  const after = parseReference(next.provider)
  if (ctx.sets.aliased.get(before.urn) === after.urn) return false
  // As in Pulumi the one that lives counts, though the resource may still name the one that it
  // replaced, which an interrupted deployment left to be deleted.
  const live = ctx.base.liveIndexOf(before.urn)
  const oldState =
    live === undefined
      ? findProviderInBase(ctx.base.snapshot, before.urn, before.id)
      : ctx.base.snapshot.resources[live]
  const newState =
    ctx.sets.current.get(after.urn)?.state ??
    findProviderInBase(ctx.base.snapshot, after.urn, after.id)
  if (oldState === undefined || newState === undefined) return true
  const provider = await loadProvider(ctx, next, next.urn)
  const renamed = { ...oldState, urn: after.urn, type: newState.type }
  const input = { newInputs: newState.inputs, ignoreChanges: [] }
  const diff = await requestConfigDiff(provider, renamed, input)
  return diff.changes !== 'none' && isReplacement(diff)
}

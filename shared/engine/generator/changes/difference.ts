import { parseReference } from '../../../names/provider-reference.ts'
import { type DiffResult, noDiff } from '../../../providers/provider.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { equalMaps, equalValues } from '../../../values/equal.ts'
import { containsUnknown, stripSecrets } from '../../../values/walk.ts'
import type { PropertyValue } from '../../../values/value.ts'
import { findProviderInBase } from '../../deployment/state/base.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { loadProvider } from '../providers/load-provider.ts'
import { decided, failDeployment, type Result } from '../stage.ts'
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
 * Computes the difference between an old state and a registration. The first reason that applies
 * decides; only the last one requests a diff of the provider. Source:
 * docs/spec/step-generation.md#diff-decision.
 */
export async function computeDifference(
  ctx: GeneratorContext,
  candidate: Candidate,
  old: ResourceState,
): Promise<Result<Difference>> {
  const { input } = ctx
  const { next, goal, compared, driver } = candidate
  const triggered = hasTriggerFired(input, old.replacementTrigger, next)
  if (triggered.kind === 'failed') return triggered
  if (triggered.value)
    return decided({ diff: { ...createForcedDiff(''), changes: 'some' }, triggered: true })
  const withoutTrigger = (diff: DiffResult): Result<Difference> =>
    decided({ diff, triggered: false })
  const key = findForcedReplacement(input, next, old)
  if (key !== undefined) return withoutTrigger(createForcedDiff(key))
  const moved = await isProviderChanged(ctx, old, next)
  if (moved.kind === 'failed') return moved
  if (moved.value) return withoutTrigger(createForcedDiff('provider'))
  if (input.trustsInputs && equalMaps(old.inputs, compared)) return withoutTrigger(noDiff)
  return withoutTrigger(await driver.diff(old, compared, goal.ignoreChanges))
}

function hasTriggerFired(
  { preview }: Pick<DecisionInput, 'preview'>,
  before: PropertyValue,
  next: ResourceState,
): Result<boolean> {
  const now = next.replacementTrigger
  if (containsUnknown(now) && !preview)
    return failDeployment(`replacement trigger contains unknowns for ${next.urn}`, next.urn)
  if (containsUnknown(now) || containsUnknown(before)) return decided(true)
  if (before === null || now === null) return decided(false)
  return decided(!equalValues(stripSecrets(before), stripSecrets(now)))
}

/** Returns the key for which a resource is replaced without a diff, if there is one. */
function findForcedReplacement(
  { sets, scope }: Pick<DecisionInput, 'sets' | 'scope'>,
  next: ResourceState,
  old: ResourceState,
): string | undefined {
  if (isReplacedAnyway(scope, next.urn, old)) return 'id'
  if (next.replaceWith.some(urn => sets.replaces.has(urn))) return 'replaceWith'
  if (next.deletedWith !== '' && sets.replaces.has(next.deletedWith)) return 'deletedWith'
  return undefined
}

/**
 * Reports whether a resource moves to a provider that cannot update it. Source:
 * docs/spec/step-generation.md#provider-change.
 */
async function isProviderChanged(
  { input, ports }: GeneratorContext,
  old: ResourceState,
  next: ResourceState,
): Promise<Result<boolean>> {
  const { sets, base } = input
  if (old.provider === next.provider) return decided(false)
  if (old.provider === '' || next.provider === '') return decided(true)
  const before = parseReference(old.provider)
  const after = parseReference(next.provider)
  if (sets.aliased.get(before.urn) === after.urn) return decided(false)
  // As in Pulumi the live provider counts, even if the resource still names its old copy, which an
  // interrupted deployment left to be deleted.
  const live = base.liveIndexOf(before.urn)
  const oldState =
    live === undefined
      ? findProviderInBase(base.snapshot, before.urn, before.id)
      : base.snapshot.resources[live]
  const newState =
    sets.current.get(after.urn)?.state ?? findProviderInBase(base.snapshot, after.urn, after.id)
  if (oldState === undefined || newState === undefined) return decided(true)
  const provider = await loadProvider(ports, next, next.urn)
  if (provider.kind === 'failed') return provider
  const renamed = { ...oldState, urn: after.urn, type: newState.type }
  const config = { newInputs: newState.inputs, ignoreChanges: [] }
  const diff = await requestConfigDiff(provider.value, renamed, config)
  return decided(diff.changes !== 'none' && isReplacement(diff))
}

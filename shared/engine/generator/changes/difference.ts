import { parseProviderReference } from '../../../names/provider-reference.ts'
import { type DiffResult, noDiff } from '../../../providers/provider.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { areEqualMaps, areEqualValues } from '../../../values/equal.ts'
import { containsUnknown, stripSecrets } from '../../../values/special-values.ts'
import type { PropertyValue } from '../../../values/value.ts'
import { findProviderInBase } from '../../deployment/state/base.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { loadProvider } from '../providers/load-provider.ts'
import { toDecided, failDeployment, type Result } from '../stage.ts'
import type { CheckedRegistration } from '../registration/checked-registration.ts'
import { requestConfigDiff } from '../providers/resource-driver.ts'
import { isReplacedWithoutDiff } from '../targets/scope.ts'
import { createForcedDiff, isReplacement } from './decide-change.ts'

/**
 * A difference. `isTriggered`: the value of the option `replacementTrigger` has changed, or is
 * unknown.
 */
export interface Difference {
  readonly diff: DiffResult
  readonly isTriggered: boolean
}

/**
 * Computes the difference between an old state and a registration. The reasons for a replacement
 * are checked in order, and the first one that applies decides. Without a reason, the driver
 * computes the difference, unless `trustsInputs` is set and the inputs are equal. Source:
 * docs/spec/step-generation.md#diff-decision.
 */
export async function computeDifference(
  ctx: GeneratorContext,
  registration: CheckedRegistration,
  old: ResourceState,
): Promise<Result<Difference>> {
  const { input } = ctx
  const { next, goal, comparedInputs, driver } = registration
  const triggerResult = hasTriggerFired(input, old.replacementTrigger, next)
  if (triggerResult.kind === 'failed') return triggerResult
  if (triggerResult.value) return toDecided({ diff: createForcedDiff(''), isTriggered: true })
  const withoutTrigger = (diff: DiffResult): Result<Difference> =>
    toDecided({ diff, isTriggered: false })
  const forcedKey = findForcedReplacement(input, next, old)
  if (forcedKey !== undefined) return withoutTrigger(createForcedDiff(forcedKey))
  const providerResult = await isReplacedByProviderChange(ctx, old, next)
  if (providerResult.kind === 'failed') return providerResult
  if (providerResult.value) return withoutTrigger(createForcedDiff('provider'))
  if (input.trustsInputs && areEqualMaps(old.inputs, comparedInputs)) return withoutTrigger(noDiff)
  return withoutTrigger(await driver.diff(old, comparedInputs, goal.ignoreChanges))
}

function hasTriggerFired(
  { isPreview }: Pick<DecisionInput, 'isPreview'>,
  oldTrigger: PropertyValue,
  next: ResourceState,
): Result<boolean> {
  const newTrigger = next.replacementTrigger
  if (containsUnknown(newTrigger) && !isPreview)
    return failDeployment(`replacement trigger contains unknowns for ${next.urn}`, next.urn)
  if (containsUnknown(newTrigger) || containsUnknown(oldTrigger)) return toDecided(true)
  if (oldTrigger === null || newTrigger === null) return toDecided(false)
  return toDecided(!areEqualValues(stripSecrets(oldTrigger), stripSecrets(newTrigger)))
}

/** Returns the key for which a resource is replaced without a diff, if there is one. */
function findForcedReplacement(
  { sets, scope }: Pick<DecisionInput, 'sets' | 'scope'>,
  next: ResourceState,
  old: ResourceState,
): string | undefined {
  if (isReplacedWithoutDiff(scope, next.urn, old)) return 'id'
  if (next.replaceWith.some(urn => sets.replacedUrns.has(urn))) return 'replaceWith'
  if (next.deletedWith !== '' && sets.replacedUrns.has(next.deletedWith)) return 'deletedWith'
  return undefined
}

/**
 * Reports whether a resource moves to a provider that cannot update it. Source:
 * docs/spec/step-generation.md#provider-change.
 */
async function isReplacedByProviderChange(
  { input, ports }: GeneratorContext,
  old: ResourceState,
  next: ResourceState,
): Promise<Result<boolean>> {
  const { sets, base } = input
  if (old.provider === next.provider) return toDecided(false)
  if (old.provider === '' || next.provider === '') return toDecided(true)
  const oldReference = parseProviderReference(old.provider)
  const newReference = parseProviderReference(next.provider)
  if (sets.aliasingUrns.get(oldReference.urn) === newReference.urn) return toDecided(false)
  // As in Pulumi, the live provider is compared. The resource may still reference an old copy,
  // which an interrupted deployment marked for deletion.
  const liveIndex = base.liveIndexOf(oldReference.urn)
  const oldState =
    liveIndex === undefined
      ? findProviderInBase(base.snapshot, oldReference.urn, oldReference.id)
      : base.snapshot.resources[liveIndex]
  const newState =
    sets.currentStates.get(newReference.urn)?.state ??
    findProviderInBase(base.snapshot, newReference.urn, newReference.id)
  if (oldState === undefined || newState === undefined) return toDecided(true)
  const loadResult = await loadProvider(ports, next, next.urn)
  if (loadResult.kind === 'failed') return loadResult
  const renamedState = { ...oldState, urn: newReference.urn, type: newState.type }
  const config = { newInputs: newState.inputs, ignoreChanges: [] }
  const diff = await requestConfigDiff(loadResult.value, renamedState, config)
  return toDecided(diff.changes !== 'none' && isReplacement(diff))
}

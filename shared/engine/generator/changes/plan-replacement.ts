import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { type Step, type StepReason, stepOf, type TrackedState } from '../../step.ts'
import { failCheck } from '../checks/fail-check.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { skipsDeleteCall } from '../deletion/skips-delete-call.ts'
import { finishStage } from '../finish-stage.ts'
import { refuseImportedReplacement } from '../import/refuse-imported-replacement.ts'
import {
  type CheckedRegistration,
  createReplacedDelta,
} from '../registration/checked-registration.ts'
import { findNewestOldState } from '../sets.ts'
import type { SetsDelta } from '../sets-delta.ts'
import { toDecided, failDeployment, type Result } from '../stage.ts'
import { isReplacedWithoutDiff } from '../targets/scope.ts'
import type { ChangeDecision } from './decide-change.ts'
import {
  type Dependent,
  findDependentsByOption,
  findDependentReplacements,
} from './find-dependents.ts'

/**
 * Decides the steps of a replacement. The new resource is created first, unless an option or the
 * provider requires that the old resource is deleted first. In that case, the dependents that must
 * be replaced are deleted before the old resource. Source:
 * docs/spec/step-generation.md#replacement.
 */
export async function planReplacement(
  ctx: GeneratorContext,
  registration: CheckedRegistration,
  change: ChangeDecision & { readonly kind: 'replace' },
): Promise<Result<readonly Step[]>> {
  const { assignment, goal } = registration
  const { old } = assignment
  if (old === undefined) throw new TypeError('the resource to replace has no old state')
  const protectionResult = finishStage(
    ctx,
    refuseProtectedReplacement(ctx.input, registration, old.state),
  )
  if (protectionResult.kind === 'failed') return protectionResult
  if (goal.importId !== '') {
    const importResult = refuseImportedReplacement(ctx, registration, { old: old.state, change })
    if (importResult.kind === 'failed') return importResult
  }
  ctx.apply(createReplacedDelta(assignment))
  const checkResult = await recheckInputs(ctx, registration)
  if (checkResult.kind === 'failed') return checkResult
  const replacement = { old, next: checkResult.value, reason: change.reason }
  const mustDeleteFirst = goal.deleteBeforeReplace ?? change.deleteBeforeReplace
  if (!mustDeleteFirst)
    return toDecided(createReplaceSteps(replacement, old.state.pendingReplacement))
  const deletesResult = await planDeletesBefore(ctx, assignment.baseIndex, old)
  if (deletesResult.kind === 'failed') return deletesResult
  return toDecided([...deletesResult.value, ...createReplaceSteps(replacement, true)])
}

/**
 * Returns the steps of a replacement without its deletes. `isDeletedFirst`: the old resource is
 * deleted first.
 */
function createReplaceSteps(
  replacement: {
    readonly old: TrackedState
    readonly next: ResourceState
    readonly reason: StepReason
  },
  isDeletedFirst: boolean,
): readonly Step[] {
  const effect = isDeletedFirst ? 'replace' : 'add-mark'
  const create = stepOf({ op: 'create-replacement', effect, ...replacement })
  const replace = stepOf({ op: 'replace', effect: 'none', ...replacement })
  return isDeletedFirst ? [replace, create] : [create, replace]
}

/**
 * Refuses the replacement of a resource that is protected both in the state and in the program. A
 * preview reports the error and continues.
 */
function refuseProtectedReplacement(
  { isPreview, ignoreProtect }: Pick<DecisionInput, 'isPreview' | 'ignoreProtect'>,
  { next, assignment }: CheckedRegistration,
  old: ResourceState,
): Result<void> {
  if (!next.protect || !old.protect || ignoreProtect) return toDecided(undefined)
  const { urn } = assignment
  const message =
    `unable to replace resource "${urn}"\nas it is currently marked for protection. ` +
    'To unprotect it, remove the `protect` flag from the resource and run `antichain up`, or run\n' +
    `antichain state unprotect '${urn}'`
  if (!isPreview) return failDeployment(message, urn)
  return { ...toDecided(undefined), diagnostics: [{ message, urn }] }
}

/**
 * Returns the planned state of the replacement. Check computes names and other defaults again,
 * without the old inputs.
 */
async function recheckInputs(
  { input }: GeneratorContext,
  { driver, goal, next, seed, assignment }: CheckedRegistration,
): Promise<Result<ResourceState>> {
  if (driver.check === undefined) return toDecided(next)
  // A resource that is replaced without a diff was already checked without its old inputs.
  if (isReplacedWithoutDiff(input.scope, assignment.urn, assignment.old?.state))
    return toDecided(next)
  const result = await driver.check(undefined, goal.inputs, seed)
  if (result.kind === 'failed') return result
  const { inputs, failures } = result.value
  if (failures.length === 0) return toDecided({ ...next, inputs })
  const failedResult = failCheck({ ...goal, urn: assignment.urn }, failures)
  const invalidDiagnostic = {
    message: `resource ${assignment.urn} is invalid`,
    urn: assignment.urn,
  }
  const diagnostics = [...failedResult.failure.diagnostics, invalidDiagnostic]
  return { ...failedResult, failure: { ...failedResult.failure, diagnostics } }
}

/** Returns the delete steps of the dependents that must be replaced, and of the old resource. */
async function planDeletesBefore(
  ctx: GeneratorContext,
  baseIndex: number | undefined,
  old: TrackedState,
): Promise<Result<readonly Step[]>> {
  // No state of the base depends on a resource that this registration imported.
  const replacementsResult =
    baseIndex === undefined ? toDecided([]) : await findDependentReplacements(ctx, baseIndex)
  if (replacementsResult.kind === 'failed') return replacementsResult
  const dependents = [
    ...replacementsResult.value,
    ...findDependentsByOption(ctx.input, old.state.urn),
  ]
  return finishStage(ctx, decideDeletesBefore(ctx.input, dependents, { baseIndex, old }))
}

/**
 * Decides the delete steps of the dependents, in reverse order, and then of the resource itself.
 */
function decideDeletesBefore(
  input: DecisionInput,
  dependents: readonly Dependent[],
  root: { readonly baseIndex: number | undefined; readonly old: TrackedState },
): Result<readonly Step[]> {
  const { sets, base } = input
  const rootUrn = root.old.state.urn
  const liveStates = dependents
    .map(({ baseIndex }) => base.trackedStateAt(baseIndex).state)
    .filter(state => !state.delete)
  // The set is complete before the first step is created, because `skipsDeleteCall` looks up the
  // resource that a state names in `deletedWith`.
  const deletedUrns = new Set([...liveStates.map(({ urn }) => urn), rootUrn])
  const dependentKeys: [Urn, readonly string[]][] = []
  const stepsByIndex = new Map<number, Step>()
  const isToBeDeleted = (urn: Urn): boolean => deletedUrns.has(urn) || sets.deletedUrns.has(urn)
  for (const { baseIndex, keys } of dependents.toReversed()) {
    if (sets.condemnedIndices.has(baseIndex) || stepsByIndex.has(baseIndex)) continue
    const { state } = findNewestOldState(input, baseIndex)
    // An old copy is only deleted. The live resource of the same URN gets a decision of its own
    // later.
    if (!state.delete) dependentKeys.push([state.urn, keys])
    if (state.protect && !input.ignoreProtect)
      return failDeployment(
        `unable to replace resource "${state.urn}" as part of replacing "${rootUrn}" as it is currently marked for protection.`,
        state.urn,
      )
    // An earlier replacement has already deleted this resource.
    if (state.pendingReplacement || sets.pendingReplacementIndices.has(baseIndex)) continue
    stepsByIndex.set(
      baseIndex,
      createReplacedDelete(findNewestOldState(input, baseIndex), isToBeDeleted),
    )
    if (!state.delete) deletedUrns.add(state.urn)
  }
  const steps = [...stepsByIndex.values()]
  // Only a preview gets here with an imported resource. In a deployment,
  // `refuseImportedReplacement` has refused the replacement.
  if (root.baseIndex === undefined)
    steps.push(stepOf({ op: 'delete-replaced', effect: 'mark-pending', old: root.old }))
  else if (!root.old.state.pendingReplacement) {
    const currentRoot = findNewestOldState(input, root.baseIndex)
    const ownDelete = createReplacedDelete(currentRoot, isToBeDeleted)
    stepsByIndex.set(root.baseIndex, ownDelete)
    steps.push(ownDelete)
  }
  return toDecided(
    steps,
    createDeletesDelta(stepsByIndex, { deleted: [...deletedUrns], dependentKeys }),
  )
}

function createDeletesDelta(stepsByIndex: ReadonlyMap<number, Step>, delta: SetsDelta): SetsDelta {
  const startedDeletes = [...stepsByIndex.values()]
    .filter(({ effect }) => effect === 'mark-pending')
    .map(({ urn }) => urn)
  const deleted = [...(delta.deleted ?? []), ...startedDeletes]
  return { ...delta, deleted, startedDeletes, condemnedIndices: [...stepsByIndex.keys()] }
}

function createReplacedDelete(old: TrackedState, isDeleted: (urn: Urn) => boolean): Step {
  const skipCall = skipsDeleteCall(old.state, isDeleted)
  const effect = old.state.delete ? 'remove' : 'mark-pending'
  return stepOf({ op: 'delete-replaced', effect, old, skipCall })
}

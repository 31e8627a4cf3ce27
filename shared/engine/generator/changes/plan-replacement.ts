import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { type Step, type StepReason, stepOf, type TrackedState } from '../../step.ts'
import { failCheck } from '../checks/fail-check.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { isWithoutCall } from '../deletion/is-without-call.ts'
import { finishStage } from '../finish-stage.ts'
import { refuseImportedReplacement } from '../import/refuse-imported-replacement.ts'
import { type Candidate, createReplacedDelta } from '../registration/candidate.ts'
import { currentTrackedAt } from '../sets.ts'
import type { SetsDelta } from '../sets-delta.ts'
import { decided, failDeployment, type Result } from '../stage.ts'
import { isReplacedAnyway } from '../targets/scope.ts'
import type { ChangeVerdict } from './decide-change.ts'
import { type Dependent, findBoundStates, findDependentReplacements } from './find-dependents.ts'

/**
 * Decides the steps of a replacement. The new resource is created first, unless the option or the
 * provider wants the delete first. In that case all dependents that must be replaced are deleted
 * before. Source: docs/spec/step-generation.md#replacement.
 */
export async function planReplacement(
  ctx: GeneratorContext,
  candidate: Candidate,
  verdict: ChangeVerdict & { readonly kind: 'replace' },
): Promise<Result<readonly Step[]>> {
  const { claim, goal } = candidate
  const { old } = claim
  if (old === undefined) throw new TypeError('only an existing resource is replaced')
  const allowed = finishStage(ctx, refuseProtected(ctx.input, candidate, old.state))
  if (allowed.kind === 'failed') return allowed
  if (goal.importId !== '') {
    const kept = refuseImportedReplacement(ctx, candidate, { old: old.state, verdict })
    if (kept.kind === 'failed') return kept
  }
  ctx.apply(createReplacedDelta(claim))
  const checked = await checkAgain(ctx, candidate)
  if (checked.kind === 'failed') return checked
  const replacement = { old, next: checked.value, reason: verdict.reason }
  const deleteFirst = goal.deleteBeforeReplace ?? verdict.deleteBeforeReplace
  if (!deleteFirst) return decided(createReplaceSteps(replacement, old.state.pendingReplacement))
  const deletes = await planDeletesBefore(ctx, claim.index, old)
  if (deletes.kind === 'failed') return deletes
  return decided([...deletes.value, ...createReplaceSteps(replacement, true)])
}

/**
 * The steps of a replacement without its deletes; `isDeleted`: the old resource is deleted first.
 */
function createReplaceSteps(
  replacement: {
    readonly old: TrackedState
    readonly next: ResourceState
    readonly reason: StepReason
  },
  isDeleted: boolean,
): readonly Step[] {
  const effect = isDeleted ? 'replace' : 'add-mark'
  const create = stepOf({ op: 'create-replacement', effect, ...replacement })
  const replace = stepOf({ op: 'replace', effect: 'none', ...replacement })
  return isDeleted ? [replace, create] : [create, replace]
}

/** Refuses the replacement of a protected resource; a preview reports it and continues. */
function refuseProtected(
  { preview, ignoreProtect }: Pick<DecisionInput, 'preview' | 'ignoreProtect'>,
  { next, claim }: Candidate,
  old: ResourceState,
): Result<void> {
  if (!next.protect || !old.protect || ignoreProtect) return decided(undefined)
  const { urn } = claim
  const message =
    `unable to replace resource "${urn}"\nas it is currently marked for protection. ` +
    'To unprotect it, remove the `protect` flag from the resource and run `antichain up`, or run\n' +
    `antichain state unprotect '${urn}'`
  if (!preview) return failDeployment(message, urn)
  return { ...decided(undefined), diagnostics: [{ message, urn }] }
}

/** Returns the state of the replacement: names and other defaults are computed again. */
async function checkAgain(
  { input }: GeneratorContext,
  { driver, goal, next, seed, claim }: Candidate,
): Promise<Result<ResourceState>> {
  if (driver.check === undefined) return decided(next)
  // A resource that is replaced on request was checked without its old inputs already.
  if (isReplacedAnyway(input.scope, claim.urn, claim.old?.state)) return decided(next)
  const result = await driver.check(undefined, goal.inputs, seed)
  if (result.kind === 'failed') return result
  const { inputs, failures } = result.value
  if (failures.length === 0) return decided({ ...next, inputs })
  const failed = failCheck({ ...goal, urn: claim.urn }, failures)
  const invalid = { message: `resource ${claim.urn} is invalid`, urn: claim.urn }
  const diagnostics = [...failed.failure.diagnostics, invalid]
  return { ...failed, failure: { ...failed.failure, diagnostics } }
}

/** Finds the dependents that are deleted first, and returns the delete steps. */
async function planDeletesBefore(
  ctx: GeneratorContext,
  index: number | undefined,
  old: TrackedState,
): Promise<Result<readonly Step[]>> {
  // Nothing of the base depends on a resource that was imported just now.
  const dependent = index === undefined ? decided([]) : await findDependentReplacements(ctx, index)
  if (dependent.kind === 'failed') return dependent
  const dependents = [...dependent.value, ...findBoundStates(ctx.input, old.state.urn)]
  return finishStage(ctx, decideDeletesBefore(ctx.input, dependents, { index, old }))
}

/** Decides delete steps of dependents, the last one first, and then of the resource itself. */
function decideDeletesBefore(
  input: DecisionInput,
  dependents: readonly Dependent[],
  { index, old }: { readonly index: number | undefined; readonly old: TrackedState },
): Result<readonly Step[]> {
  const { sets, base } = input
  const root = old.state.urn
  const live = dependents.map(({ at }) => base.trackedAt(at).state).filter(one => !one.delete)
  // Known before the first step: a resource that goes with another is not deleted by itself.
  const deleted = new Set([...live.map(({ urn }) => urn), root])
  const dependentKeys: [Urn, readonly string[]][] = []
  const condemned = new Map<number, Step>()
  const willDelete = (urn: Urn): boolean => deleted.has(urn) || sets.deletes.has(urn)
  for (const { at, keys } of dependents.toReversed()) {
    if (sets.condemned.has(at) || condemned.has(at)) continue
    const { state } = currentTrackedAt(input, at)
    // An old copy is deleted by itself: its successor is judged like any other resource.
    if (!state.delete) dependentKeys.push([state.urn, keys])
    if (state.protect && !input.ignoreProtect)
      return failDeployment(
        `unable to replace resource "${state.urn}" as part of replacing "${root}" as it is currently marked for protection.`,
        state.urn,
      )
    // An interrupted replacement deleted it already.
    if (state.pendingReplacement || sets.pendingReplacement.has(at)) continue
    condemned.set(at, createReplacedDelete(currentTrackedAt(input, at), willDelete))
    if (!state.delete) deleted.add(state.urn)
  }
  const steps = [...condemned.values()]
  // Only a preview gets here without an index: `refuseImportedReplacement` fails in an update.
  if (index === undefined)
    steps.push(stepOf({ op: 'delete-replaced', effect: 'mark-pending', old }))
  else if (!old.state.pendingReplacement) {
    const own = createReplacedDelete(currentTrackedAt(input, index), willDelete)
    condemned.set(index, own)
    steps.push(own)
  }
  return decided(steps, createDeletesDelta(condemned, { deleted: [...deleted], dependentKeys }))
}

function createDeletesDelta(condemned: ReadonlyMap<number, Step>, delta: SetsDelta): SetsDelta {
  const deleting = [...condemned.values()]
    .filter(({ effect }) => effect === 'mark-pending')
    .map(({ urn }) => urn)
  const deleted = [...(delta.deleted ?? []), ...deleting]
  return { ...delta, deleted, deleting, condemned: [...condemned.keys()] }
}

function createReplacedDelete(old: TrackedState, isDeleted: (urn: Urn) => boolean): Step {
  const skipCall = isWithoutCall(old.state, isDeleted)
  const effect = old.state.delete ? 'remove' : 'mark-pending'
  return stepOf({ op: 'delete-replaced', effect, old, skipCall })
}

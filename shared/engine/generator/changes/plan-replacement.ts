import type { ResourceState } from '../../../state/resource.ts'
import { unknown, type PropertyMap, type PropertyValue } from '../../../values/value.ts'
import { findDependents } from '../../graph/dependencies.ts'
import { isProviderType, providerUrnOf, referenceOf } from '../../../names/provider-reference.ts'
import type { DiffResult } from '../../../providers/provider.ts'
import type { Urn } from '../../../names/urn.ts'
import { type Step, stepOf, type TrackedState } from '../../step.ts'
import { refuseImportedReplacement } from '../import/refuse-imported-replacement.ts'
import { bail, type GeneratorContext, loadProvider } from '../context.ts'
import { diffProviderConfig, diffResource } from '../providers/resource-driver.ts'
import { type Candidate, markReplaced } from '../registration/candidate.ts'
import { reportCheckFailures } from '../checks/report-check-failures.ts'
import { applyReplaceOnChanges, isReplacement, type ChangeVerdict } from './decide-change.ts'
import { isReplacedAnyway } from '../targets/scope.ts'
import { isGone, isOperatedOn, currentTrackedAt } from '../sets.ts'

/**
 * The steps of a replacement: create first, or, by the option or the provider, delete first
 * together with everything that would have to be replaced as well. Source:
 * docs/spec/step-generation.md#replacement.
 */
export async function planReplacement(
  ctx: GeneratorContext,
  candidate: Candidate,
  verdict: ChangeVerdict & { kind: 'replace' },
): Promise<readonly Step[]> {
  const { claim, goal } = candidate
  const old = claim.old
  if (old === undefined) throw new TypeError('only what exists is replaced')
  if (candidate.next.protect && old.state.protect && !ctx.ignoreProtect) {
    const message =
      `unable to replace resource "${claim.urn}"\nas it is currently marked for protection. ` +
      'To unprotect it, remove the `protect` flag from the resource and run `antichain up`, or run\n' +
      `antichain state unprotect '${claim.urn}'`
    if (!ctx.preview) bail(ctx, message, claim.urn)
    ctx.emitter.report('error', message, claim.urn)
    ctx.noteFailure()
  }
  if (goal.importId !== '') refuseImportedReplacement(ctx, candidate, { old: old.state, verdict })
  markReplaced(ctx, claim)
  const next = await checkAgain(ctx, candidate)
  const { reason } = verdict
  const deleteFirst = goal.deleteBeforeReplace ?? verdict.deleteBeforeReplace
  if (!deleteFirst && !old.state.pendingReplacement) {
    return [
      stepOf({ op: 'create-replacement', effect: 'add-mark', old, next, reason }),
      stepOf({ op: 'replace', effect: 'none', old, next, reason }),
    ]
  }
  const deletes = deleteFirst ? await planDeletesBefore(ctx, claim.index, old) : []
  return [
    ...deletes,
    stepOf({ op: 'replace', effect: 'none', old, next, reason }),
    stepOf({ op: 'create-replacement', effect: 'replace', old, next, reason }),
  ]
}

/** Names and other defaults of the new resource are made anew. */
async function checkAgain(ctx: GeneratorContext, candidate: Candidate): Promise<ResourceState> {
  const { driver, goal, next, seed, claim } = candidate
  if (driver.check === undefined) return next
  // What is replaced on request was checked without its old inputs already.
  if (isReplacedAnyway(ctx.scope, claim.urn, claim.old?.state)) return next
  const result = await driver.check(undefined, goal.inputs, seed)
  if (result.failures.length > 0) {
    reportCheckFailures(
      ctx.emitter,
      { urn: claim.urn, type: goal.type, name: goal.name },
      result.failures,
      goal.inputs,
    )
    bail(ctx, `resource ${claim.urn} is invalid`, claim.urn)
  }
  return { ...next, inputs: result.inputs }
}

/** Delete steps of the dependents that must go too, last one first, then of the resource itself. */
async function planDeletesBefore(
  ctx: GeneratorContext,
  index: number | undefined,
  { state: old, ref }: TrackedState,
): Promise<readonly Step[]> {
  const { sets, base } = ctx
  // Nothing of the base depends on what was only just imported.
  const depending = index === undefined ? [] : await findDependentReplacements(ctx, index)
  const dependents = [...depending, ...findBoundStates(ctx, old.urn)]
  const steps: Step[] = []
  // Known before the first step is made: what goes with another is not deleted by itself.
  for (const { at } of dependents) {
    const { state } = base.trackedAt(at)
    if (!state.delete) sets.deletes.add(state.urn)
  }
  sets.deletes.add(old.urn)
  for (const { at, keys } of dependents.toReversed()) {
    if (sets.condemned.has(at)) continue
    const tracked = currentTrackedAt(ctx, at)
    // An old copy goes by itself: what superseded it is judged like any other.
    if (!tracked.state.delete) sets.dependentKeys.set(tracked.state.urn, keys)
    if (tracked.state.protect && !ctx.ignoreProtect)
      bail(
        ctx,
        `unable to replace resource "${tracked.state.urn}" as part of replacing "${old.urn}" as it is currently marked for protection.`,
        tracked.state.urn,
      )
    // An interrupted replacement deleted it before: nothing is there to be deleted again.
    if (tracked.state.pendingReplacement || sets.pendingReplacement.has(at)) continue
    steps.push(createReplacedDelete(ctx, at))
  }
  if (index === undefined) steps.push(createImportedDelete({ state: old, ref }))
  else if (!old.pendingReplacement) steps.push(createReplacedDelete(ctx, index))
  return steps
}

/** Only a preview gets here: see `refuseImported`. */
function createImportedDelete(old: TrackedState): Step {
  return stepOf({ op: 'delete-replaced', effect: 'mark-pending', old })
}

function createReplacedDelete(ctx: GeneratorContext, index: number): Step {
  const { sets } = ctx
  const old = currentTrackedAt(ctx, index)
  sets.condemned.add(index)
  const skipCall = isWithoutCall(ctx, old.state)
  if (old.state.delete) return stepOf({ op: 'delete-replaced', effect: 'remove', old, skipCall })
  sets.deletes.add(old.state.urn)
  sets.pendingDeletes.set(old.state.urn, Promise.withResolvers<void>())
  return stepOf({ op: 'delete-replaced', effect: 'mark-pending', old, skipCall })
}

/**
 * Whether the delete of a state needs no provider: there is nothing, or it is not ours, or it goes
 * with another.
 */
export function isWithoutCall(ctx: GeneratorContext, state: ResourceState): boolean {
  if (!state.custom || state.external || state.retainOnDelete || isProviderType(state.type))
    return true
  return state.deletedWith !== '' && ctx.sets.deletes.has(state.deletedWith)
}

/** A state that goes with another, and why. */
export interface Dependent {
  readonly at: number
  readonly keys: readonly string[]
}

/** What is bound to the resource by `replaceWith` or `deletedWith`. */
function findBoundStates(ctx: GeneratorContext, urn: Urn): Dependent[] {
  const { states, dependentsOf } = ctx.base.graph
  return dependentsOf(urn).flatMap(at => {
    const state = states[at]
    if (state === undefined || isGone(ctx.sets, at)) return []
    if (state.replaceWith.includes(urn)) return [{ at, keys: ['replaceWith'] }]
    return state.deletedWith === urn ? [{ at, keys: ['deletedWith'] }] : []
  })
}

/**
 * Dependents that would be replaced if what they take from the resource were unknown, in list
 * order.
 */
export async function findDependentReplacements(
  ctx: GeneratorContext,
  root: number,
): Promise<readonly Dependent[]> {
  const { base, sets } = ctx
  const { states } = base.graph
  const rootUrn = states[root]?.urn
  if (rootUrn === undefined) return []
  const replaced = new Set<Urn>([rootUrn])
  const gone = new Set<Urn>([rootUrn])
  const found: Dependent[] = []
  for (const at of findDependents(
    base.graph,
    root,
    urn => isOperatedOn(sets, urn) || sets.deletes.has(urn),
  )) {
    const state = states[at]
    if (state === undefined || !state.custom || state.external) continue
    const keys = await findReplacementKeys(ctx, state, state.delete ? gone : replaced)
    if (keys === undefined) continue
    found.push({ at, keys })
    gone.add(state.urn)
    if (!state.delete) replaced.add(state.urn)
  }
  return found
}

async function findReplacementKeys(
  ctx: GeneratorContext,
  state: ResourceState,
  replaced: ReadonlySet<Urn>,
): Promise<readonly string[] | undefined> {
  const provider = providerUrnOf(state.provider)
  if (provider !== undefined && replaced.has(provider)) return ['provider']
  if (state.deletedWith !== '' && replaced.has(state.deletedWith)) return ['deletedWith']
  const newInputs = withUnknowns(state, replaced)
  if (newInputs === undefined) return undefined
  const diff = await diffDependent(ctx, state, newInputs)
  const judged = applyReplaceOnChanges(diff, false, state.replaceOnChanges)
  if (judged.changes !== 'some' || !isReplacement(judged)) return undefined
  return judged.replaceKeys
}

/** What its provider says of a state; a provider is asked itself, as it was configured. */
async function diffDependent(
  ctx: GeneratorContext,
  state: ResourceState,
  newInputs: PropertyMap,
): Promise<DiffResult> {
  const { urn, id, ignoreChanges } = state
  if (isProviderType(state.type)) {
    const provider = referenceOf(urn, id)
    const instance = await loadProvider(ctx, { ...state, provider }, urn)
    return diffProviderConfig(instance, state, { newInputs, ignoreChanges })
  }
  const instance = await loadProvider(ctx, state, urn)
  return diffResource(ctx, instance, state, { newInputs, ignoreChanges, allowUnknowns: true })
}

/**
 * The inputs with everything that comes from replaced resources unknown; undefined when nothing
 * does.
 */
function withUnknowns(state: ResourceState, replaced: ReadonlySet<Urn>): PropertyMap | undefined {
  const keys = [...state.propertyDependencies].filter(
    ([key, urns]) => state.inputs.has(key) && urns.some(urn => replaced.has(urn)),
  )
  if (keys.length === 0) return undefined
  const inputs = new Map<string, PropertyValue>(state.inputs)
  for (const [key] of keys) inputs.set(key, unknown)
  return inputs
}

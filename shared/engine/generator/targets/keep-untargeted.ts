import { parseReference, referenceOf } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { stepOf } from '../../step.ts'
import { applyPolicies } from '../policies/apply-policies.ts'
import { checkUntargetedAgainstPlan } from '../checks/check-update-plan.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { isDeletedElsewhere } from '../deletion/is-deleted-elsewhere.ts'
import { finishStage } from '../finish-stage.ts'
import type { UrnClaim } from '../registration/claim-urn.ts'
import type { Goal } from '../registration/goal.ts'
import type { CurrentState } from '../sets.ts'
import { decided, failDeployment, type Result, type StageResult } from '../stage.ts'
import { findOldDependencies, findOldProvider } from './old-dependencies.ts'
import { keepOldState } from './pull-forward.ts'
import { requireMadeDependencies } from './require-made-dependencies.ts'
import { createScopeDelta } from './scope.ts'
import { skipCreate } from './skip-create.ts'

/** A registration with its place in the scope. */
interface ScopedRegistration {
  readonly goal: Goal
  readonly claim: UrnClaim
  readonly draft: ResourceState
  readonly isTargeted: boolean
}

/**
 * Answers an untargeted registration. An existing resource keeps its old state, with the
 * unregistered states that it depends on. A new resource is not created. Nothing is written: an old
 * state is in the base. Source: docs/spec/step-generation.md#untargeted-resources.
 */
export async function keepUntargeted(
  ctx: GeneratorContext,
  { goal, claim, draft, isTargeted }: ScopedRegistration,
): Promise<StageResult<void>> {
  if (isTargeted) return decided(undefined)
  const recreated = await mustRecreate(ctx, claim)
  if (recreated.kind === 'failed') return recreated
  if (recreated.value) return decided(undefined)
  const admitted = checkUntargetedAgainstPlan(ctx, claim, goal)
  if (admitted.kind === 'failed') return admitted
  const next = claim.old?.state ?? draft
  const allowed = await applyPolicies(ctx, { goal, claim, next, compared: next.inputs })
  if (allowed.kind === 'failed') return allowed
  return answerUntargeted(ctx, claim, draft)
}

/** An untargeted resource is created again if another replacement deleted it, or if it was read. */
async function mustRecreate(ctx: GeneratorContext, { old }: UrnClaim): Promise<Result<boolean>> {
  if (old === undefined) return decided(false)
  return old.state.external ? decided(true) : isDeletedElsewhere(ctx, old.state.urn)
}

function answerUntargeted(
  ctx: GeneratorContext,
  { urn, old }: UrnClaim,
  draft: ResourceState,
): StageResult<void> {
  const { input } = ctx
  ctx.apply(createScopeDelta(input, draft, false))
  ctx.apply({ operated: [urn] })
  if (old === undefined) return skipCreate(draft)
  const provided = requireOldProvider(ctx, urn, old.state)
  if (provided.kind === 'failed') return provided
  ctx.apply({ pulledForward: [old.state.urn], operated: [old.state.urn] })
  const below = finishStage(ctx, findOldDependencies(input, urn, old.state))
  if (below.kind === 'failed') return below
  for (const index of below.value) {
    const kept = keepOldState(ctx, index)
    if (kept.kind === 'failed') return kept
  }
  const step = stepOf({ op: 'same', effect: 'none', old, next: old.state })
  const required = finishStage(ctx, requireMadeDependencies(input, [step]))
  if (required.kind === 'failed') return required
  const current: CurrentState = { ...old, op: 'same', skipReason: 'kept' }
  // Under its old name too: that is the name the program is answered with.
  const delta = {
    current: [
      [old.state.urn, current],
      [urn, current],
    ] as const,
  }
  return { kind: 'kept', current, step, delta }
}

/** Reports whether a delete before a replacement needs this old provider. */
function isNeededByDelete({ sets, base }: DecisionInput, provider: string): boolean {
  return [...sets.condemned].some(index => base.trackedAt(index).state.provider === provider)
}

/**
 * Requires the old provider of an untargeted resource among those of this run. Otherwise the
 * program moved it to another provider, and only a target can move.
 */
function requireOldProvider(
  { input, ports }: GeneratorContext,
  urn: Urn,
  { provider }: ResourceState,
): Result<void> {
  const { sets } = input
  if (provider === '') return decided(undefined)
  const reference = parseReference(provider)
  const now = sets.aliased.get(reference.urn) ?? reference.urn
  const isUsable =
    sets.pulledForward.has(reference.urn) ||
    ports.providers.isRegistered(provider) ||
    ports.providers.isRegistered(referenceOf(now, reference.id)) ||
    isNeededByDelete(input, provider)
  if (isUsable) return decided(undefined)
  if (findOldProvider(input, provider) === undefined && !sets.registered.has(now))
    return failDeployment(`could not find provider ${provider} in old state`, urn)
  return failDeployment(
    `provider ${provider} for resource ${urn} has not been registered yet, this is due to a ` +
      'change of providers mixed with --target. Change your program back to the original providers',
    urn,
  )
}

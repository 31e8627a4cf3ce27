import { parseProviderReference, providerReferenceOf } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { stepOf } from '../../step.ts'
import { applyPolicies } from '../policies/apply-policies.ts'
import { checkUntargetedAgainstUpdatePlan } from '../checks/check-update-plan.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { isDeletedByReplacement } from '../deletion/is-deleted-by-replacement.ts'
import { finishStage } from '../finish-stage.ts'
import type { UrnAssignment } from '../registration/assign-urn.ts'
import type { Goal } from '../registration/goal.ts'
import type { CurrentState } from '../sets.ts'
import { toDecided, failDeployment, type Result, type StageResult } from '../stage.ts'
import { findOldDependencies, findOldProvider } from './old-dependencies.ts'
import { keepOldState } from './keep-unregistered-dependencies.ts'
import { requireCreatedDependencies } from './require-created-dependencies.ts'
import { createScopeDelta } from './scope.ts'
import { skipCreate } from './skip-create.ts'

/** A registration. `isTargeted`: whether the scope contains it. */
interface ScopedRegistration {
  readonly goal: Goal
  readonly assignment: UrnAssignment
  readonly draft: ResourceState
  readonly isTargeted: boolean
}

/**
 * Answers an untargeted registration. An existing resource keeps its old state. The unregistered
 * states that it depends on are kept too. A new resource is not created. Nothing is recorded,
 * because the base contains the old state. Source:
 * docs/spec/step-generation.md#untargeted-resources.
 */
export async function keepUntargeted(
  ctx: GeneratorContext,
  { goal, assignment, draft, isTargeted }: ScopedRegistration,
): Promise<StageResult<void>> {
  if (isTargeted) return toDecided(undefined)
  const recreateResult = await mustRecreate(ctx, assignment)
  if (recreateResult.kind === 'failed') return recreateResult
  if (recreateResult.value) return toDecided(undefined)
  const planResult = checkUntargetedAgainstUpdatePlan(ctx, assignment, goal)
  if (planResult.kind === 'failed') return planResult
  const next = assignment.old?.state ?? draft
  const policyResult = await applyPolicies(ctx, {
    goal,
    assignment,
    next,
    comparedInputs: next.inputs,
  })
  if (policyResult.kind === 'failed') return policyResult
  return answerUntargeted(ctx, assignment, draft)
}

/**
 * Reports whether an untargeted resource must be created again: another replacement deleted it, or
 * the program only read it before.
 */
async function mustRecreate(
  ctx: GeneratorContext,
  { old }: UrnAssignment,
): Promise<Result<boolean>> {
  if (old === undefined) return toDecided(false)
  return old.state.external ? toDecided(true) : isDeletedByReplacement(ctx, old.state.urn)
}

function answerUntargeted(
  ctx: GeneratorContext,
  { urn, old }: UrnAssignment,
  draft: ResourceState,
): StageResult<void> {
  const { input } = ctx
  ctx.apply(createScopeDelta(input, draft, false))
  ctx.apply({ handledUrns: [urn] })
  if (old === undefined) return skipCreate(draft)
  const providerResult = requireOldProvider(ctx, urn, old.state)
  if (providerResult.kind === 'failed') return providerResult
  ctx.apply({ keptOldUrns: [old.state.urn], handledUrns: [old.state.urn] })
  const dependenciesResult = finishStage(ctx, findOldDependencies(input, urn, old.state))
  if (dependenciesResult.kind === 'failed') return dependenciesResult
  for (const baseIndex of dependenciesResult.value) {
    const keepResult = keepOldState(ctx, baseIndex)
    if (keepResult.kind === 'failed') return keepResult
  }
  const step = stepOf({ op: 'same', effect: 'none', old, next: old.state })
  const createdDependenciesResult = finishStage(ctx, requireCreatedDependencies(input, [step]))
  if (createdDependenciesResult.kind === 'failed') return createdDependenciesResult
  const current: CurrentState = { ...old, op: 'same', skipReason: 'kept' }
  // The state is also listed under the old URN, because the program receives that URN.
  const delta = {
    currentStates: [
      [old.state.urn, current],
      [urn, current],
    ] as const,
  }
  return { kind: 'kept', current, step, delta }
}

/** Reports whether a delete before a replacement needs this old provider. */
function isNeededByDelete({ sets, base }: DecisionInput, provider: string): boolean {
  return [...sets.condemnedIndices].some(
    baseIndex => base.trackedStateAt(baseIndex).state.provider === provider,
  )
}

/**
 * Fails if the old provider of an untargeted resource is not available in this run. In this case
 * the program moved the resource to another provider, and only targets can be moved.
 */
function requireOldProvider(
  { input, ports }: GeneratorContext,
  urn: Urn,
  { provider }: ResourceState,
): Result<void> {
  const { sets } = input
  if (provider === '') return toDecided(undefined)
  const reference = parseProviderReference(provider)
  const currentUrn = sets.aliasingUrns.get(reference.urn) ?? reference.urn
  const isUsable =
    sets.keptOldUrns.has(reference.urn) ||
    ports.providers.isRegistered(provider) ||
    ports.providers.isRegistered(providerReferenceOf(currentUrn, reference.id)) ||
    isNeededByDelete(input, provider)
  if (isUsable) return toDecided(undefined)
  if (findOldProvider(input, provider) === undefined && !sets.registeredUrns.has(currentUrn))
    return failDeployment(`could not find provider ${provider} in old state`, urn)
  return failDeployment(
    `provider ${provider} for resource ${urn} has not been registered yet, this is due to a ` +
      'change of providers mixed with --target. Change your program back to the original providers',
    urn,
  )
}

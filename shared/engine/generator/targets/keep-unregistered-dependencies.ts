import type { ResourceState } from '../../../state/resource.ts'
import { listDependencies } from '../../graph/closures.ts'
import { emitStep } from '../../events/emit-step.ts'
import { stepOf } from '../../step.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { finishStage } from '../finish-stage.ts'
import { toDecided, type Result } from '../stage.ts'
import {
  findOldDependencies,
  findOldProvider,
  isAlreadyDecided,
  isUnread,
} from './old-dependencies.ts'
import { requireCreatedDependencies } from './require-created-dependencies.ts'

/**
 * Keeps old states that a registration depends on and that the program has not registered. These
 * states are the provider of the registration and, for a target of `--target`, its other
 * dependencies.
 */
export function keepUnregisteredDependencies(
  ctx: GeneratorContext,
  next: ResourceState,
  isTargeted: boolean,
): Result<void> {
  const { input } = ctx
  for (const rootIndex of findUnregisteredRoots(input, next, isTargeted)) {
    const state = input.base.snapshot.resources[rootIndex]
    if (state === undefined || isAlreadyDecided(input, state.urn)) continue
    ctx.apply({ keptOldUrns: [state.urn], handledUrns: [state.urn] })
    const dependenciesResult = finishStage(ctx, findOldDependencies(input, undefined, state))
    if (dependenciesResult.kind === 'failed') return dependenciesResult
    for (const keptIndex of [...dependenciesResult.value, rootIndex]) {
      const result = keepOldState(ctx, keptIndex)
      if (result.kind === 'failed') return result
    }
  }
  return toDecided(undefined)
}

/** Returns the base indices of the unregistered states to keep, without their own dependencies. */
function findUnregisteredRoots(
  input: DecisionInput,
  next: ResourceState,
  isTargeted: boolean,
): readonly number[] {
  const provider = findOldProvider(input, next.provider)
  const roots = provider === undefined ? [] : [provider]
  if (!isTargeted || !input.scope.targets.isConstrained) return roots
  const dependencyIndices = listDependencies(next).flatMap(({ urn }) =>
    isAlreadyDecided(input, urn) ? [] : (input.base.liveIndexOf(urn) ?? []),
  )
  return [...roots, ...dependencyIndices]
}

/** Keeps an old state because other resources depend on it, and shows it as unchanged. */
export function keepOldState(ctx: GeneratorContext, baseIndex: number): Result<void> {
  const { input, ports } = ctx
  const old = input.base.trackedStateAt(baseIndex)
  const step = stepOf({ op: 'same', effect: 'none', old, next: old.state })
  const createdDependenciesResult = finishStage(ctx, requireCreatedDependencies(input, [step]))
  if (createdDependenciesResult.kind === 'failed') return createdDependenciesResult
  emitStep(ports.emitter, step)
  const { urn } = old.state
  const current = input.sets.currentStates.get(urn)
  if (current !== undefined && !isUnread(current)) return createdDependenciesResult
  // The removal moves the state to the end of `currentStates`, still before its dependents.
  // Otherwise the state would keep the position of its registration.
  const removed = { currentStates: [urn] }
  ctx.apply({ removed, currentStates: [[urn, { ...old, op: 'same', skipReason: 'kept' }]] })
  return createdDependenciesResult
}

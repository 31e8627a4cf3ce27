import type { ResourceState } from '../../../state/resource.ts'
import { listDependencies } from '../../graph/closures.ts'
import { emitStep } from '../../events/emit-step.ts'
import { stepOf } from '../../step.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { finishStage } from '../finish-stage.ts'
import { decided, type Result } from '../stage.ts'
import { findOldDependencies, findOldProvider, hasStep, isUnread } from './old-dependencies.ts'
import { requireMadeDependencies } from './require-made-dependencies.ts'

/**
 * Keeps old states that a registration depends on and that the program does not register. These are
 * its provider and, in a deployment with targets, its other dependencies.
 */
export function pullDependenciesForward(
  ctx: GeneratorContext,
  next: ResourceState,
  isTargeted: boolean,
): Result<void> {
  const { input } = ctx
  for (const index of findUnregisteredRoots(input, next, isTargeted)) {
    const state = input.base.snapshot.resources[index]
    if (state === undefined || hasStep(input, state.urn)) continue
    ctx.apply({ pulledForward: [state.urn], operated: [state.urn] })
    const below = finishStage(ctx, findOldDependencies(input, undefined, state))
    if (below.kind === 'failed') return below
    for (const kept of [...below.value, index]) {
      const result = keepOldState(ctx, kept)
      if (result.kind === 'failed') return result
    }
  }
  return decided(undefined)
}

function findUnregisteredRoots(
  input: DecisionInput,
  next: ResourceState,
  isTargeted: boolean,
): readonly number[] {
  const provider = findOldProvider(input, next.provider)
  const roots = provider === undefined ? [] : [provider]
  if (!isTargeted || !input.scope.targets.isConstrained) return roots
  const named = listDependencies(next).flatMap(({ urn }) =>
    hasStep(input, urn) ? [] : (input.base.liveIndexOf(urn) ?? []),
  )
  return [...roots, ...named]
}

/** Keeps an old state because other resources depend on it, and shows it as unchanged. */
export function keepOldState(ctx: GeneratorContext, index: number): Result<void> {
  const { input, ports } = ctx
  const old = input.base.trackedAt(index)
  const step = stepOf({ op: 'same', effect: 'none', old, next: old.state })
  const required = finishStage(ctx, requireMadeDependencies(input, [step]))
  if (required.kind === 'failed') return required
  emitStep(ports.emitter, step)
  const { urn } = old.state
  const current = input.sets.current.get(urn)
  if (current !== undefined && !isUnread(current)) return required
  // Its place is before its dependents, not where the program registered it.
  const removed = { current: [urn] }
  ctx.apply({ removed, current: [[urn, { ...old, op: 'same', skipReason: 'kept' }]] })
  return required
}

import type { Urn } from '../../../names/urn.ts'
import { equalMaps } from '../../../values/equal.ts'
import type { PropertyMap } from '../../../values/value.ts'
import type { TrackedState } from '../../step.ts'
import { checkOutputsAgainstPlan } from '../checks/check-update-plan.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { unwrap } from '../finish-stage.ts'
import { type CurrentState, currentTrackedAt } from '../sets.ts'
import { decided, failDeployment, type Result } from '../stage.ts'

/** Returns the resource whose outputs are registered; fails when it was not registered. */
export function requireRegistered(
  { sets }: Pick<DecisionInput, 'sets'>,
  urn: Urn,
): Result<CurrentState> {
  const current = sets.current.get(urn)
  if (current !== undefined) return decided(current)
  const message = `cannot complete a resource '${urn}' whose registration isn't pending`
  return failDeployment(message, urn)
}

/**
 * Stores outputs in a resource's state; written only when they differ. Throws `Bail` when they
 * violate the update plan. Source: docs/spec/step-execution.md#registerresourceoutputs.
 */
export async function applyOutputs(
  ctx: GeneratorContext,
  current: CurrentState,
  outputs: PropertyMap,
): Promise<void> {
  const { runner, emitter } = ctx.ports
  unwrap(ctx, checkOutputsAgainstPlan(ctx, current.state.urn, outputs))
  const state = { ...current.state, outputs }
  const unchanged = equalMaps(current.state.outputs, outputs)
  const tracked = unchanged ? current : await runner.recordOutputs(current, state)
  ctx.apply({ current: [[state.urn, { ...tracked, op: current.op }]] })
  emitter.emitOutputs(current.op, findStateBefore(ctx.input, current), tracked.state)
}

/** Returns the state of a component before this run; undefined when this run created it. */
function findStateBefore(
  input: Pick<DecisionInput, 'base' | 'sets'>,
  { op, state }: CurrentState,
): TrackedState | undefined {
  const index = input.base.liveIndexOf(input.sets.formerUrns.get(state.urn) ?? state.urn)
  return index === undefined || op === 'create' ? undefined : currentTrackedAt(input, index)
}

import type { Urn } from '../../../names/urn.ts'
import { areEqualMaps } from '../../../values/equal.ts'
import type { PropertyMap } from '../../../values/value.ts'
import { isReplacementOp, type TrackedState } from '../../step.ts'
import { checkOutputsAgainstUpdatePlan } from '../checks/check-update-plan.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { unwrap } from '../finish-stage.ts'
import { type CurrentState, findNewestOldState } from '../sets.ts'
import { toDecided, failDeployment, type Result } from '../stage.ts'

/**
 * Returns the resource for which the program registers outputs. Fails when the program did not
 * register the resource itself before.
 */
export function requireRegistered(
  { sets }: Pick<DecisionInput, 'sets'>,
  urn: Urn,
): Result<CurrentState> {
  const current = sets.currentStates.get(urn)
  if (current !== undefined) return toDecided(current)
  // This is Pulumi's message.
  const message = `cannot complete a resource '${urn}' whose registration isn't pending`
  return failDeployment(message, urn)
}

/**
 * Stores registered outputs in the state of a resource. Writes a record only if the outputs differ
 * from the outputs of the current state. Throws `DeploymentAborted` if the outputs violate the
 * update plan. Source: docs/spec/step-execution.md#registerresourceoutputs.
 */
export async function recordRegisteredOutputs(
  ctx: GeneratorContext,
  current: CurrentState,
  outputs: PropertyMap,
): Promise<void> {
  const { runner, emitter } = ctx.ports
  unwrap(ctx, checkOutputsAgainstUpdatePlan(ctx, current.state.urn, outputs))
  const state = { ...current.state, outputs }
  const isUnchanged = areEqualMaps(current.state.outputs, outputs)
  const trackedState = isUnchanged ? current : await runner.recordOutputs(current, state)
  ctx.apply({ currentStates: [[state.urn, { ...trackedState, op: current.op }]] })
  // Pulumi reports outputs with the last step of a replacement, which is its `replace` step.
  const op = isReplacementOp(current.op) ? 'replace' : current.op
  emitter.emitOutputs(op, findOldState(ctx.input, current), trackedState.state)
}

/** Returns the old state of a resource. Returns undefined if the resource is new. */
function findOldState(
  input: Pick<DecisionInput, 'base' | 'sets'>,
  { op, state }: CurrentState,
): TrackedState | undefined {
  const baseIndex = input.base.liveIndexOf(input.sets.formerUrns.get(state.urn) ?? state.urn)
  return baseIndex === undefined || op === 'create'
    ? undefined
    : findNewestOldState(input, baseIndex)
}

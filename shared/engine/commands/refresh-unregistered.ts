import type { Urn } from '../../names/urn.ts'
import type { Decision } from '../../records/log.ts'
import { planLimitOf } from '../deployment/dispatch/parallel-limit.ts'
import { runPlan } from '../deployment/dispatch/run-plan.ts'
import type { GeneratorContext } from '../generator/context.ts'
import {
  planRefresh,
  emitUnchanged,
  createUnregisteredRefreshSteps,
} from '../generator/refresh/plan-refresh.ts'
import type { CommandDeps } from './command-deps.ts'

/**
 * Reads the resources that the program of a refresh did not register. The decisions of
 * `createDecisions` become durable together with the plan of the reads. Returns true when all reads
 * succeeded. Source: docs/spec/step-generation.md#end-of-a-refresh.
 */
export async function refreshUnregistered(
  deps: CommandDeps,
  ctx: GeneratorContext,
  createDecisions: (unmetUrns: readonly Urn[]) => readonly Decision[],
): Promise<boolean> {
  const { readableSteps, unchangedSteps } = createUnregisteredRefreshSteps(ctx.input)
  emitUnchanged(ctx.ports.emitter, unchangedSteps)
  const decisions = createDecisions([])
  if (readableSteps.length === 0) {
    await deps.writer.append(...decisions)
    return true
  }
  const plan = {
    plannedOperations: planRefresh(readableSteps, { ...deps, ...planLimitOf(deps.pin) }),
    isStoppedByFailure: !ctx.input.continueOnError,
  }
  return (await runPlan(deps, 'refresh', plan, decisions)).isComplete
}

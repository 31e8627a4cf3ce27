import type { Urn } from '../../names/urn.ts'
import type { Decision } from '../../records/log.ts'
import { boundOf } from '../deployment/at-once.ts'
import { runPlan } from '../deployment/plan-run.ts'
import type { GeneratorContext } from '../generator/context.ts'
import { planRefresh, tellUnchanged, unregisteredSteps } from '../generator/refresh-plan.ts'
import type { CommandDeps } from './command-deps.ts'

/**
 * Reads what the program of a refresh did not register; what `before` makes of nothing is durable
 * with the plan. Source: docs/spec/step-generation.md#end-of-a-refresh.
 */
export async function refreshRest(
  deps: CommandDeps,
  ctx: GeneratorContext,
  before: (unmet: readonly Urn[]) => readonly Decision[],
): Promise<boolean> {
  const { asked, unchanged } = unregisteredSteps(ctx)
  tellUnchanged(ctx.emitter, unchanged)
  const decisions = before([])
  if (asked.length === 0) {
    await deps.writer.append(...decisions)
    return true
  }
  const plan = {
    planned: planRefresh(asked, { ...deps, ...boundOf(deps.pin) }),
    isStoppedByFailure: !ctx.continueOnError,
  }
  return (await runPlan(deps, 'refresh', plan, decisions)).isWhole
}

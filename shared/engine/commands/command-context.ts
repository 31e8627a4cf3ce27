import type { OperationId } from '../../records/ids.ts'
import type { Base } from '../deployment/state/base.ts'
import type { GeneratorContext } from '../generator/context.ts'
import { createEarlierStateLookup } from '../deployment/ends/open-recorded-end.ts'
import { lastRetryOf } from '../deployment/log/decision-index.ts'
import { createDeploymentRunner } from '../generator/steps/deployment-runner.ts'
import { createReplay } from '../generator/replay/deployment-replay.ts'
import { plannedUrnsOf } from '../generator/checks/check-update-plan.ts'
import type { Replay } from '../generator/replay/decision-replay.ts'
import { restoreSets } from '../generator/replay/restore-sets.ts'
import type { CommandDeps } from './command-deps.ts'

/**
 * Creates the context for decisions against a base. The results of earlier generator runs are
 * restored first.
 */
export function createCommandContext(
  deps: CommandDeps,
  base: Base,
): { readonly ctx: GeneratorContext; readonly replay: Replay | undefined } {
  const { earlierDecisions, run } = deps
  const callCounts = new Map<string, number>()
  const runner = createDeploymentRunner({
    ...deps,
    isExtensionInBase: ref => base.snapshot.extensions[ref] !== undefined,
    countCall(key) {
      const callIndex = callCounts.get(key) ?? 0
      callCounts.set(key, callIndex + 1)
      return { callIndex, recordedAnswer: earlierDecisions?.answerOf(key, callIndex) }
    },
  })
  const earlierResults =
    earlierDecisions === undefined
      ? undefined
      : {
          earlierDecisions,
          findResultState: createEarlierStateLookup(
            deps.earlierEnds,
            earlierDecisions,
            deps.sealing,
          ),
        }
  const replay =
    earlierResults === undefined ? undefined : createReplay({ ...deps, ...earlierResults, base })
  const ctx = run.createContext(base, runner, replay)
  const hasSucceeded = (id: OperationId): boolean =>
    deps.earlierEnds.get(earlierDecisions === undefined ? id : lastRetryOf(earlierDecisions, id))
      ?.head.end?.verdict === 'succeeded'
  if (earlierResults !== undefined) {
    const { decisions } = earlierResults.earlierDecisions
    for (const delta of restoreSets(decisions, { ...earlierResults, hasSucceeded }))
      ctx.apply(delta)
    for (const decision of decisions)
      ctx.ports.updatePlan.guard?.skipRecorded(plannedUrnsOf(decision, ctx.input.sets))
  }
  return { ctx, replay }
}

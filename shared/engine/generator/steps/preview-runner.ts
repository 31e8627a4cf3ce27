import { type Base, withBaseViews } from '../../deployment/state/base.ts'
import { runHooks } from '../../deployment/dispatch/run-hooks.ts'
import { completeReplaceStep } from '../../events/replace-events.ts'
import {
  newestStateOf,
  type Step,
  type TrackedState,
  unrecordedStateReference,
} from '../../step.ts'
import type { EndedStep } from '../../step-end.ts'
import { type PreviewDeps, previewStep } from './preview-step.ts'
import type { StepRunner } from '../step-runner.ts'
import type { ResourceState } from '../../../state/resource.ts'

/**
 * Creates the runner of a preview. It runs steps immediately and in order, and records nothing
 * (I11). Providers compute the planned states.
 */
export function createPreviewRunner(deps: PreviewDeps, base: Base): StepRunner {
  const toTrackedState = (state: ResourceState): TrackedState => ({
    state,
    ref: unrecordedStateReference,
  })
  const runStep = async (step: Step): Promise<EndedStep> => {
    const end = await previewStep(withBaseViews(step, base), deps)
    return {
      step,
      end,
      trackedState: end.state === undefined ? undefined : toTrackedState(end.state),
    }
  }
  return {
    async run({ steps }) {
      deps.forecast?.addChain(steps)
      const ends: EndedStep[] = []
      for (const step of steps) {
        const previousEndedStep = ends.at(-1)
        const followsCreate =
          step.op === 'replace' && previousEndedStep?.step.op === 'create-replacement'
        const endedStep = await runStep(
          followsCreate ? completeReplaceStep(step, previousEndedStep.end.state) : step,
        )
        ends.push(endedStep)
        if (endedStep.end.verdict !== 'succeeded') break
      }
      return ends
    },
    settle: ({ step, state }) => Promise.resolve(toTrackedState(state ?? newestStateOf(step))),
    recordExtension: () => undefined,
    recordOutputs: (target, state) => Promise.resolve({ state, ref: target.ref }),
    runHooks: hookCall => runHooks(deps, hookCall),
    answerCall: (_key, request) => request(),
  }
}

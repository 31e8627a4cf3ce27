import type { OperationId } from '../../../records/ids.ts'
import { type Base, withOldViews } from '../../deployment/state/base.ts'
import { runHooks } from '../../deployment/dispatch/run-hooked-call.ts'
import { completeReplaceStep } from '../../events/replace-events.ts'
import type { Step, TrackedState } from '../../step.ts'
import type { EndedStep } from '../../step-end.ts'
import { type PreviewDeps, previewStep } from './preview-step.ts'
import type { StepRunner } from '../step-runner.ts'
import type { ResourceState } from '../../../state/resource.ts'

/**
 * Creates the runner of a preview: steps run at once, providers compute planned states, and nothing
 * is recorded (I11).
 */
export function createPreviewRunner(deps: PreviewDeps, base: Base): StepRunner {
  const tracked = (state: ResourceState): TrackedState => ({
    state,
    ref: { kind: 'operation', operation: 0 as OperationId },
  })
  const runOne = async (step: Step): Promise<EndedStep> => {
    const end = await previewStep(withOldViews(step, base), deps)
    return { step, end, tracked: end.state === undefined ? undefined : tracked(end.state) }
  }
  return {
    async run({ steps }) {
      const ends: EndedStep[] = []
      for (const step of steps) {
        const made = ends.at(-1)
        const isAfter = step.op === 'replace' && made?.step.op === 'create-replacement'
        const ended = await runOne(isAfter ? completeReplaceStep(step, made.end.state) : step)
        ends.push(ended)
        if (ended.end.verdict !== 'succeeded') break
      }
      return ends
    },
    settle: ({ step, state }) => Promise.resolve(tracked(state ?? stateOf(step))),
    recordExtension: () => undefined,
    recordOutputs: (target, state) => Promise.resolve({ state, ref: target.ref }),
    runHooks: moment => runHooks(deps, moment),
    answerCall: (_key, request) => request(),
  }
}

function stateOf(step: Step): ResourceState {
  const state = step.next ?? step.old?.state
  if (state === undefined) throw new TypeError('a step has an old or a new state')
  return state
}

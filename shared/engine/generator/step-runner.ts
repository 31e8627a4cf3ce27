import type { Urn } from '../../names/urn.ts'
import type { CallResult } from '../../providers/provider.ts'
import type { Extension } from '../../records/extension.ts'
import type { SetDelta } from '../../records/log.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { HookMoment } from '../hooks.ts'
import type { EndedStep } from '../step-end.ts'
import type { Step, TrackedState } from '../step.ts'

/** Runs decided steps: through log and queue in a deployment, at once in a preview. */
export interface StepRunner {
  /**
   * Records the steps of one registration and runs them in order; each is the only need of the
   * next. Stops at the first step that does not succeed. Resolves when all ends are durable.
   */
  readonly run: (decision: {
    readonly urn: Urn
    readonly goal: string
    readonly steps: readonly Step[]
    readonly sets: SetDelta
  }) => Promise<readonly EndedStep[]>
  /** Records a step that the generator itself settles: its state is complete, no executor runs. */
  readonly settle: (decision: SettledDecision) => Promise<TrackedState>
  /** Records the extension of a provider, so that executors and later generators find it. */
  readonly recordExtension: (extension: Extension & { readonly ref: string }) => void
  /** Records registered outputs: the whole state that results. */
  readonly recordOutputs: (target: TrackedState, state: ResourceState) => Promise<TrackedState>
  /**
   * Runs the hooks of a resource that the generator settles, once per deployment. Returns the
   * error of the hook that failed. Hooks that only warn do not count.
   */
  readonly runHooks: (moment: HookMoment) => Promise<string | undefined>
  /**
   * Answers a call of the program with the recorded answer, or with the result of `request`, which
   * is recorded before the next decision (I10). Equal keys are answered in the order of their
   * calls. A call with `shouldRepeat` is requested again before its recorded answer is returned.
   */
  readonly answerCall: (key: string, request: () => Promise<CallAnswer>) => Promise<CallResult>
}

/** An answer to a call. `shouldRepeat`: later generators repeat the call for its side effects. */
export interface CallAnswer extends CallResult {
  readonly shouldRepeat?: boolean
}

/** A step that the generator settles; `goal` and `sets` as of a registration. */
export interface SettledDecision {
  readonly step: Step
  readonly state: ResourceState | undefined
  readonly goal: string
  readonly sets: SetDelta
}

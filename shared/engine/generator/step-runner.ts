import type { Urn } from '../../names/urn.ts'
import type { CallResult } from '../../providers/provider.ts'
import type { PackageParameterization } from '../../records/package-parameterization.ts'
import type { RecordedSetsDelta } from '../../records/log.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { HookCall } from '../hooks.ts'
import type { EndedStep } from '../step-end.ts'
import type { Step, TrackedState } from '../step.ts'

/**
 * The functions that run decided steps. A deployment records the steps and sends them to executors.
 * A preview runs them immediately and records nothing.
 */
export interface StepRunner {
  /**
   * Records the steps of one registration and runs them as a chain, in order. Stops at the first
   * step that does not succeed. Resolves when all ends are durable. `goalDigest`: the keyed digest
   * of the goal. `setsDelta`: the changes of the generator's sets that are recorded with the steps.
   */
  readonly run: (decision: {
    readonly urn: Urn
    readonly goalDigest: string
    readonly steps: readonly Step[]
    readonly setsDelta: RecordedSetsDelta
  }) => Promise<readonly EndedStep[]>
  /**
   * Records a step that the generator settles without an executor. Its state is complete already.
   */
  readonly settle: (decision: SettledDecision) => Promise<TrackedState>
  /** Records the extension of a provider, so that executors and later generator runs find it. */
  readonly recordExtension: (extension: PackageParameterization & { readonly ref: string }) => void
  /** Records the complete state of a resource after outputs were registered. */
  readonly recordOutputs: (target: TrackedState, state: ResourceState) => Promise<TrackedState>
  /**
   * Runs the hooks of a resource that the generator settles, once per deployment. Returns the error
   * of the failed hook, unless failures of this hook are only warnings.
   */
  readonly runHooks: (hookCall: HookCall) => Promise<string | undefined>
  /**
   * Answers a call of the program with the recorded answer, or else with the result of `request`.
   * This result is recorded before the next decision (I10). Calls with equal keys are answered in
   * order. If the answer was recorded with `shouldRepeat`, `request` is called again before the
   * recorded answer is returned.
   */
  readonly answerCall: (key: string, request: () => Promise<CallAnswer>) => Promise<CallResult>
}

/**
 * The answer to a call. `shouldRepeat`: later generator runs repeat the call for its side effects.
 */
export interface CallAnswer extends CallResult {
  readonly shouldRepeat?: boolean
}

/**
 * A step that the generator settles. `goalDigest` and `setsDelta` have the same meaning as for
 * `StepRunner.run`.
 */
export interface SettledDecision {
  readonly step: Step
  readonly state: ResourceState | undefined
  readonly goalDigest: string
  readonly setsDelta: RecordedSetsDelta
}

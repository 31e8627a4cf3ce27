import type { Analyzer } from '../../providers/analyzers/analyzer.ts'
import type { ProviderRegistry } from '../../providers/provider-registry.ts'
import type { Autonaming } from '../../names/propose-name.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import type { ForecastDraft } from '../forecast/forecast-draft.ts'
import type { Base } from '../deployment/state/base.ts'
import type { CallKeyFields } from './registration/canonical-goal.ts'
import type { Goal } from './registration/goal.ts'
import type { UpdatePlanUse } from '../update-plan/update-plan-use.ts'
import type { Replay } from './replay/decision-replay.ts'
import type { Scope } from './targets/scope.ts'
import type { GeneratorSets } from './sets.ts'
import type { SetsDelta } from './sets-delta.ts'
import type { StepRunner } from './step-runner.ts'

/** The data on which decisions are based. Pure functions take only the members that they need. */
export interface DecisionInput {
  readonly stack: string
  readonly project: string
  readonly isPreview: boolean
  readonly continueOnError: boolean
  readonly autonaming: Autonaming | undefined
  /**
   * Whether this is a destroy that runs its program. Such a destroy creates and updates only
   * components and providers.
   */
  readonly isProgramDestroy: boolean
  /**
   * The refresh of registered resources. `first`: the generator reads each resource before the
   * decision about it. `only`: the generator reads resources, and creates or updates only
   * components and providers. Undefined: a registration causes no refresh.
   */
  readonly programRefreshMode: 'first' | 'only' | undefined
  /**
   * Whether a resource with equal inputs counts as unchanged, without a request to its provider.
   */
  readonly trustsInputs: boolean
  /** Whether a refresh compares only outputs, and ignores inputs. */
  readonly outputsOnly: boolean
  /** Whether protected resources are deleted and replaced like others. */
  readonly ignoreProtect: boolean
  readonly base: Base
  readonly scope: Scope
  /** The decisions so far. Only `GeneratorContext.apply` changes them. */
  readonly sets: GeneratorSets
}

/**
 * The generator's access to everything outside: step runner, providers, events, clock, random
 * values and the control of the deployment.
 */
export interface DecisionPorts {
  readonly runner: StepRunner
  readonly providers: ProviderRegistry
  /** The policy packs that check resources, in order. */
  readonly analyzers: readonly Analyzer[]
  readonly emitter: StepEmitter
  /**
   * The update plan that constrains the steps, and the plan that a preview drafts. Decided steps
   * are compared with the first, and added to the second.
   */
  readonly updatePlan: UpdatePlanUse
  /** Collects the steps of a preview, to forecast their duration. Undefined in a deployment. */
  readonly forecast: ForecastDraft | undefined
  /**
   * The decisions of earlier generator runs. Undefined in the first generator run and in a preview.
   */
  readonly replay: Replay | undefined
  /** Returns 32 random bytes, new ones in each call. */
  readonly randomSeed: () => Uint8Array
  readonly uuid: () => string
  readonly timestamp: () => string
  readonly pause: (ms: number) => Promise<void>
  /** Returns the keyed digest of a goal, to compare a registration with a recorded one. */
  readonly goalDigestOf: (goal: Goal) => string
  /** Returns the keyed digest of a call of the program, to find its recorded answer. */
  readonly callDigestOf: (call: CallKeyFields) => string
  /** Runs a decision after the end of all decisions that were passed to this function earlier. */
  readonly decideSerially: <T>(decision: () => Promise<T>) => Promise<T>
  /**
   * Ends the deployment early. `abortError`: an exception for the code that runs the deployment or
   * preview. Undefined if the error was reported already.
   */
  readonly abort: (abortError?: unknown) => void
  readonly isAborted: () => boolean
  /** Resolves when the deployment ends early. */
  readonly whenAborted: Promise<void>
  /** Marks the deployment as failed after a reported error. The deployment continues. */
  readonly markFailed: () => void
}

/** The input and ports of decisions, and the function that changes the sets in the input. */
export interface GeneratorContext {
  readonly input: DecisionInput
  readonly ports: DecisionPorts
  /** Applies a delta to the sets immediately. The sets have no other writer. */
  readonly apply: (delta: SetsDelta) => void
}

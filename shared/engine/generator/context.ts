/**
 * generator: decides what is to be done about each registration of a program. Imports providers,
 * ports and below, the engine's executor, deployment, graph, steps and events.
 *
 * Invariants: decisions are made one at a time (I5), from the base and the sets alone, never from
 * what the clock, chance or the network say outside of the ports; a reply is made from the stored
 * form of an end that is durable; after an abort nothing is decided.
 */
import type { Analyzer } from '../../providers/analyzers/analyzer.ts'
import type { CallResult, Provider } from '../../providers/provider.ts'
import type { ProviderRegistry } from '../../providers/provider-registry.ts'
import type { Extension } from '../../records/extension.ts'
import type { SetDelta } from '../../records/log.ts'
import type { Autonaming } from '../../names/automatic-name.ts'
import type { Urn } from '../../names/urn.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import type { Step, TrackedState } from '../step.ts'
import type { EndedStep } from '../step-end.ts'
import type { HookMoment } from '../hooks.ts'
import type { Base } from '../deployment/state/base.ts'
import { describeDenial, deniedPackageOf } from './providers/denied-providers.ts'
import type { CallIdentity } from './registration/goal-identity.ts'
import type { Goal } from './registration/goal.ts'
import type { UpdatePlanUse } from '../plan/update-plan-use.ts'
import type { Replay } from './replay/replay.ts'
import type { Scope } from './targets/scope.ts'
import type { GeneratorSets } from './sets.ts'

/** How decided steps are carried out: through log and queue, or at once in a preview. */
export interface StepRunner {
  /**
   * Records one registration's steps and runs them in order, each the only need of the next; stops
   * at the first that does not succeed. Resolves when all ends are durable.
   */
  readonly run: (decision: {
    readonly urn: Urn
    readonly goal: string
    readonly steps: readonly Step[]
    readonly sets: SetDelta
  }) => Promise<readonly EndedStep[]>
  /**
   * Records a step that the generator itself settles: its state is complete, no executor is asked.
   */
  readonly settle: (decision: SettledDecision) => Promise<TrackedState>
  /** Keeps what a provider is extended by, so that whoever needs it later finds it. */
  readonly recordExtension: (extension: Extension & { readonly ref: string }) => void
  /** Records outputs that were registered: the whole state that results. */
  readonly recordOutputs: (target: TrackedState, state: ResourceState) => Promise<TrackedState>
  /**
   * Runs the hooks of a resource that the generator settles, once for all lives; answers why one
   * failed. Told of it are only warnings.
   */
  readonly runHooks: (moment: HookMoment) => Promise<string | undefined>
  /**
   * The answer to a call of the program: the recorded one, or what `ask` says, recorded before the
   * next decision is (I10). Equal keys are answered in the order in which they were asked. What is
   * to be asked again is, before its recorded answer is given.
   */
  readonly answerCall: (key: string, request: () => Promise<CallAnswer>) => Promise<CallResult>
}

/** An answer to a call, and whether later lives must ask all the same for what else comes of it. */
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

/** What every part of the generator works with. */
export interface GeneratorContext {
  readonly stack: string
  readonly project: string
  readonly preview: boolean
  readonly continueOnError: boolean
  readonly autonaming: Autonaming | undefined
  readonly updatePlan: UpdatePlanUse
  /** The policy packs that judge what is decided, in order. */
  readonly analyzers: readonly Analyzer[]
  /** A destroy that runs its program: nothing is made or changed but components and providers. */
  readonly isDestroying: boolean
  /** Whether what the program registers is read first, or only read. */
  readonly refreshing: 'first' | 'only' | undefined
  /** Whether no provider is asked about a resource whose inputs are equal. */
  readonly trustsInputs: boolean
  /** Whether a refresh judges by outputs alone. */
  readonly outputsOnly: boolean
  /** Whether protected resources are deleted and replaced like others. */
  readonly ignoreProtect: boolean
  readonly base: Base
  readonly sets: GeneratorSets
  /** What the deployment is about. */
  readonly scope: Scope
  readonly runner: StepRunner
  /** What earlier lives of the deployment decided; undefined in a first life and a preview. */
  readonly replay: Replay | undefined
  readonly providers: ProviderRegistry
  readonly emitter: StepEmitter
  /** 32 fresh bytes. */
  readonly randomSeed: () => Uint8Array
  readonly uuid: () => string
  readonly timestamp: () => string
  readonly pause: (ms: number) => Promise<void>
  /** Runs decisions one at a time. */
  readonly decideInTurn: <T>(decision: () => Promise<T>) => Promise<T>
  /**
   * Ends the deployment early. Without `fault` the error was told already; with it the caller of
   * the deployment sees it.
   */
  readonly abort: (fault?: unknown) => void
  readonly isAborted: () => boolean
  /** Resolves when the deployment ends early. */
  readonly aborted: Promise<void>
  /** Something failed and was told; the deployment goes on, and ends as failed. */
  readonly noteFailure: () => void
  /** Keyed digest of a goal, to compare registrations. */
  readonly goalDigestOf: (goal: Goal) => string
  /** Keyed digest of a call of the program, to find its recorded answer. */
  readonly callDigestOf: (call: CallIdentity) => string
}

/** Reports that a hook failed after its step was done: the state stays, the deployment fails. */
export function reportHookFailure(ctx: GeneratorContext, message: string, urn: Urn): void {
  ctx.emitter.report('error', message, urn)
  ctx.noteFailure()
  if (!ctx.continueOnError) ctx.abort()
}

/** Thrown when an error was reported already and nothing more is to be decided. */
export class Bail extends Error {
  constructor() {
    super('the deployment ends here; its error was reported')
    this.name = 'Bail'
  }
}

/**
 * Thrown when a registration failed but the deployment goes on (`--continue-on-error`), or was
 * skipped because something that it depends on did.
 */
export class RegistrationFailed extends Error {
  readonly isSkipped: boolean
  /** What was registered; '' where that is not known yet. */
  readonly urn: Urn | ''

  constructor({ isSkipped = false, urn = '' }: Partial<RegistrationFailed> = {}) {
    super('resource registration failed')
    this.name = 'RegistrationFailed'
    this.isSkipped = isSkipped
    this.urn = urn
  }
}

/**
 * Gives a registration up whose step did not succeed; its error was told. The deployment ends with
 * it, unless it goes on after errors. `goesOn`: this one is no reason to end it.
 */
export function failRegistration(ctx: GeneratorContext, continues = false): never {
  ctx.noteFailure()
  if (ctx.continueOnError || continues) throw new RegistrationFailed()
  ctx.abort()
  throw new Bail()
}

/** Reports an error and ends the deployment. */
export function bail(ctx: GeneratorContext, message: string, urn?: Urn): never {
  ctx.emitter.report('error', message, urn)
  ctx.abort()
  throw new Bail()
}

/** The instance that a state or goal names; a provider that cannot be had ends the deployment. */
export async function loadProvider(
  ctx: GeneratorContext,
  { provider: reference, extensionRef }: Pick<ResourceState, 'provider' | 'extensionRef'>,
  urn: Urn,
): Promise<Provider> {
  const denied = deniedPackageOf(reference)
  if (denied !== undefined) bail(ctx, describeDenial(denied, urn), urn)
  try {
    return await ctx.providers.getInstance(reference, extensionRef)
  } catch (thrown) {
    return bail(ctx, thrown instanceof Error ? thrown.message : String(thrown), urn)
  }
}

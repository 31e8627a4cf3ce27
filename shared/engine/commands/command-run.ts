import type { BlobHash } from '../../records/ids.ts'
import type { AnalyzerHost } from '../../providers/analyzers/analyzer.ts'
import type { ProviderRegistry } from '../../providers/provider-registry.ts'
import type { RequiredPackage } from '../../programs/required-packages.ts'
import type { PluginHost } from '../../providers/provider.ts'
import type { ProgramHost } from '../../programs/program.ts'
import type { PropertyMap } from '../../values/value.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import type { PerformDeps } from '../executor/provider-call.ts'
import type { Base } from '../deployment/state/base.ts'
import type { GeneratorContext } from '../generator/context.ts'
import type { Replay } from '../generator/replay/decision-replay.ts'
import type { StepRunner } from '../generator/step-runner.ts'
import { createSets } from '../generator/reduce-sets.ts'
import { createForecastDraft, type ForecastDraft } from '../forecast/forecast-draft.ts'
import { createGeneratorContext } from './generator-context.ts'
import { createRunConstraints, type RunConstraints } from './run-constraints.ts'
import { createSerialQueue } from '../serial-queue.ts'
import type { MonitorServer } from '../monitor/monitor-server.ts'
import type { DeployInput } from '../request.ts'

/**
 * The dependencies of a command besides records. They are the same for a preview and a deployment.
 */
export interface CommandRunDeps {
  readonly request: DeployInput
  readonly emitter: StepEmitter
  readonly providers: ProviderRegistry
  readonly plugins: PluginHost
  readonly programs: ProgramHost
  readonly monitor: MonitorServer
  readonly performDeps: PerformDeps
  /** Fills in the missing hashes of the assets and archives in a map. */
  readonly hashAssets: (map: PropertyMap) => Promise<PropertyMap>
  /** Reads the packages that the program requires. */
  readonly requiredPackages: () => Promise<readonly RequiredPackage[]>
  readonly randomSeed: () => Uint8Array
  readonly uuid: () => string
  /** Returns the keyed digest of a text. */
  readonly digest: (text: string) => string
  readonly policyPacks: AnalyzerHost
  readonly readBlob: (hash: BlobHash) => Promise<Uint8Array>
  readonly pause: (ms: number, signal?: AbortSignal) => Promise<void>
}

/**
 * One run of a command, as a deployment or a preview: its dependencies, its constraints, and
 * whether it was aborted or has failed.
 */
export interface CommandRun extends CommandRunDeps, RunConstraints {
  /**
   * Ends the run early, so that no further decisions are made. `abortError`: an error that the
   * caller of the run must receive.
   */
  readonly abort: (abortError?: unknown) => void
  readonly isAborted: () => boolean
  /** Resolves when the run is aborted. */
  readonly whenAborted: Promise<void>
  /** Returns the first `abortError`. Undefined without one. */
  readonly readAbortError: () => unknown
  /**
   * Records that this process raised the stop flag itself, so that the flag does not count as a
   * user's request.
   */
  readonly markOwnStop: () => void
  readonly hasOwnStop: () => boolean
  /**
   * Called when a hook failed after its step had succeeded. The run counts as failed. The run is
   * aborted, unless the option `continueOnError` is set.
   */
  readonly onHookFailed: () => 'continue' | 'abort'
  /** Reports whether a failure was noted, even if the run continued after the failure. */
  readonly hasFailed: () => boolean
  readonly createContext: (base: Base, runner: StepRunner, replay?: Replay) => GeneratorContext
  /** The steps of a preview. Undefined for a deployment. */
  readonly forecast: ForecastDraft | undefined
}

/** Creates the run of one command. */
export function createCommandRun(deps: CommandRunDeps): CommandRun {
  const { request } = deps
  const abortPromise = Promise.withResolvers<void>()
  let isAborted = false
  let abortError: unknown
  let hasOwnStop = false
  let hasFailed = false
  const abort = (newError?: unknown): void => {
    abortError ??= newError
    isAborted = true
    abortPromise.resolve()
  }
  const sets = createSets()
  const constraints = createRunConstraints(deps)
  const forecast = request.dryRun ? createForecastDraft() : undefined
  const control = {
    decideSerially: createSerialQueue(),
    abort,
    isAborted: () => isAborted,
    whenAborted: abortPromise.promise,
    markFailed: () => {
      hasFailed = true
    },
  }
  return {
    ...deps,
    ...constraints,
    forecast,
    abort,
    isAborted: () => isAborted,
    whenAborted: abortPromise.promise,
    readAbortError: () => abortError,
    markOwnStop: () => {
      hasOwnStop = true
    },
    hasOwnStop: () => hasOwnStop,
    hasFailed: () => hasFailed,
    onHookFailed() {
      hasFailed = true
      if (request.options.continueOnError) return 'continue'
      abort()
      return 'abort'
    },
    createContext: (base, runner, replay) =>
      createGeneratorContext(
        { ...deps, sets, forecast, constraints: constraints.readLoadedConstraints(), control },
        base,
        {
          runner,
          replay,
        },
      ),
  }
}

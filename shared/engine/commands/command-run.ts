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
import type { Replay } from '../generator/replay/replay.ts'
import type { StepRunner } from '../generator/step-runner.ts'
import { createSets } from '../generator/reduce-sets.ts'
import { createGeneratorContext } from './generator-context.ts'
import { createRunConstraints, type RunConstraints } from './run-constraints.ts'
import { createSerialQueue } from '../serial-queue.ts'
import type { MonitorServer } from '../monitor/monitor-server.ts'
import type { DeployRequest } from '../request.ts'

/**
 * The dependencies of a command besides records. They are the same for a preview and a deployment.
 */
export interface CommandRunDeps {
  readonly request: DeployRequest
  readonly emitter: StepEmitter
  readonly providers: ProviderRegistry
  readonly plugins: PluginHost
  readonly programs: ProgramHost
  readonly monitor: MonitorServer
  readonly performing: PerformDeps
  readonly hashAssets: (map: PropertyMap) => Promise<PropertyMap>
  readonly requiredPackages: () => Promise<readonly RequiredPackage[]>
  readonly randomSeed: () => Uint8Array
  readonly uuid: () => string
  readonly digest: (text: string) => string
  readonly policyPacks: AnalyzerHost
  readonly readBlob: (hash: BlobHash) => Promise<Uint8Array>
  readonly pause: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** The generator run of a command: its abort state, its decisions and its constraints. */
export interface CommandRun extends CommandRunDeps, RunConstraints {
  /**
   * Ends the deployment early, so that no further decisions are made. `thrown`: an error that the
   * caller of the deployment must receive.
   */
  readonly abort: (thrown?: unknown) => void
  readonly isAborted: () => boolean
  readonly whenAborted: Promise<void>
  readonly readFault: () => unknown
  /**
   * Records that this process raised the stop flag itself, so that the flag does not count as a
   * user's request.
   */
  readonly recordStop: () => void
  readonly hasRecordedStop: () => boolean
  /**
   * Handles a hook that failed after its step had succeeded. The deployment counts as failed. It
   * ends, unless the option `continueOnError` is set.
   */
  readonly onHookFailed: () => 'goes on' | 'ends'
  /** Reports whether a failure was noted, even if the deployment continued after the failure. */
  readonly hasFailed: () => boolean
  readonly createContext: (base: Base, runner: StepRunner, replay?: Replay) => GeneratorContext
}

/** Creates the run of a command. */
export function createCommandRun(deps: CommandRunDeps): CommandRun {
  const { request } = deps
  const abortion = Promise.withResolvers<void>()
  let isAborted = false
  let fault: unknown
  let hasRecordedStop = false
  let hasFailed = false
  const abort = (thrown?: unknown): void => {
    fault ??= thrown
    isAborted = true
    abortion.resolve()
  }
  const sets = createSets()
  const constraints = createRunConstraints(deps)
  const control = {
    decideInTurn: createSerialQueue(),
    abort,
    isAborted: () => isAborted,
    whenAborted: abortion.promise,
    noteFailure: () => {
      hasFailed = true
    },
  }
  return {
    ...deps,
    ...constraints,
    abort,
    isAborted: () => isAborted,
    whenAborted: abortion.promise,
    readFault: () => fault,
    recordStop: () => {
      hasRecordedStop = true
    },
    hasRecordedStop: () => hasRecordedStop,
    hasFailed: () => hasFailed,
    onHookFailed() {
      hasFailed = true
      if (request.options.continueOnError) return 'goes on'
      abort()
      return 'ends'
    },
    createContext: (base, runner, replay) =>
      createGeneratorContext(
        { ...deps, sets, constraints: constraints.readOpenConstraints(), control },
        base,
        {
          runner,
          replay,
        },
      ),
  }
}

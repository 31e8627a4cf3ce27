import type { BlobHash } from '../../records/ids.ts'
import type { AnalyzerHost } from '../../providers/analyzers/analyzer.ts'
import type { ProviderRegistry } from '../../providers/registry.ts'
import type { RequiredPackage } from '../../programs/required-packages.ts'
import type { PluginHost } from '../../providers/provider.ts'
import type { ProgramHost } from '../../programs/program.ts'
import type { PropertyMap } from '../../values/value.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import type { PerformDeps } from '../executor/performing.ts'
import type { Base } from '../deployment/base.ts'
import type { GeneratorContext, StepRunner } from '../generator/context.ts'
import { canonicalCall, canonicalGoal } from '../generator/goal-identity.ts'
import type { Replay } from '../generator/replay.ts'
import { scopeOf } from '../generator/scope.ts'
import { emptySets, type GeneratorSets } from '../generator/sets.ts'
import { createHeldBy, type HeldBy } from './held-by.ts'
import { refreshesByProgram, runsProgram } from '../../records/log.ts'
import { inTurn } from '../in-turn.ts'
import type { MonitorServer } from '../monitor/monitor-server.ts'
import type { DeployRequest } from '../request.ts'

/** What a run of a command has at hand besides records: the same for a preview and a deployment. */
export interface LifeDeps {
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

/** One generator process at work: its abort, its decisions, its base. */
export interface Life extends LifeDeps, HeldBy {
  /**
   * Ends the deployment early: nothing more is decided. `thrown`: a fault that the caller must see.
   */
  readonly abort: (thrown?: unknown) => void
  readonly isAborted: () => boolean
  readonly aborted: Promise<void>
  readonly fault: () => unknown
  /** Notes that this process itself raised the stop flag: it is no wish of somebody else's. */
  readonly noteStop: () => void
  readonly hasStopped: () => boolean
  /** A hook failed after its step was done: the deployment fails, and ends unless errors do not. */
  readonly afterFailed: () => 'goes on' | 'ends'
  /** Whether something failed of which the deployment went on. */
  readonly hasFailed: () => boolean
  readonly contextOf: (base: Base, runner: StepRunner, replay?: Replay) => GeneratorContext
}

/** Starts a life. */
export function createLife(deps: LifeDeps): Life {
  const { request } = deps
  const ended = Promise.withResolvers<void>()
  let isAborted = false
  let fault: unknown
  let hasStopped = false
  let hasFailed = false
  const abort = (thrown?: unknown): void => {
    fault ??= thrown
    isAborted = true
    ended.resolve()
  }
  const decide = inTurn()
  const sets: GeneratorSets = emptySets()
  const held = createHeldBy(deps)
  const [, project = '', stack = ''] = request.stack.split('/')
  return {
    ...deps,
    ...held,
    abort,
    isAborted: () => isAborted,
    aborted: ended.promise,
    fault: () => fault,
    noteStop: () => {
      hasStopped = true
    },
    hasStopped: () => hasStopped,
    hasFailed: () => hasFailed,
    afterFailed() {
      hasFailed = true
      if (request.options.continueOnError) return 'goes on'
      abort()
      return 'ends'
    },
    contextOf: (base, runner, replay) => ({
      stack,
      project,
      preview: request.dryRun,
      continueOnError: request.options.continueOnError,
      ...held.now(),
      isDestroying: request.options.command === 'destroy' && runsProgram(request.options),
      trustsInputs: request.options.legacyDiff === true,
      outputsOnly: request.options.legacyRefreshDiff === true,
      refreshing: refreshesByProgram(request.options),
      ignoreProtect: request.options.ignoreProtect === true,
      base,
      sets,
      scope: scopeOf(request.options.targeting, base),
      runner,
      replay,
      providers: deps.providers,
      emitter: deps.emitter,
      randomSeed: deps.randomSeed,
      uuid: deps.uuid,
      pause: deps.pause,
      timestamp: deps.performing.timestamp,
      decide,
      noteFailure: () => {
        hasFailed = true
      },
      abort,
      isAborted: () => isAborted,
      aborted: ended.promise,
      digestOf: goal => deps.digest(canonicalGoal(goal)),
      digestOfCall: call => deps.digest(canonicalCall(call)),
    }),
  }
}

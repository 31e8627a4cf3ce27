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
  readonly pause: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** One generator process at work: its abort, its decisions, its base. */
export interface Life extends LifeDeps {
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
  let turn: Promise<unknown> = Promise.resolve()
  const decide = <T>(decision: () => Promise<T>): Promise<T> => {
    const mine = turn.then(decision, decision)
    turn = mine.catch(() => undefined)
    return mine
  }
  const sets: GeneratorSets = emptySets()
  const [, project = '', stack = ''] = request.stack.split('/')
  return {
    ...deps,
    abort,
    isAborted: () => isAborted,
    aborted: ended.promise,
    fault: () => fault,
    noteStop: () => {
      hasStopped = true
    },
    hasStopped: () => hasStopped,
    hasFailed: () => hasFailed,
    contextOf: (base, runner, replay) => ({
      stack,
      project,
      preview: request.dryRun,
      continueOnError: request.options.continueOnError,
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

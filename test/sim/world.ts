import type { ChainQueuePort, HintsPort, NudgesPort } from '../../shared/ports/queue.ts'
import type { DeploymentId, ExecutorId, OperationId } from '../../shared/records/ids.ts'
import type { ModelCloud } from './model-cloud.ts'
import { createManualWrites } from './dynamo-calls.ts'
import { type AwsServices, createAwsServices } from './aws-services.ts'
import { type Coverage, createCoverage } from './coverage.ts'
import { createDraw, type SeededDraw } from './draw.ts'
import { createNudges } from './nudges.ts'
import { createQueue } from './queue.ts'
import { type ManualWrites, type CurrentRecords, readCurrentRecords } from './current-records.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'
import { createStore, type Observer, type SimStore } from './store.ts'

/** Everything that outlives a process. */
export interface World extends Coverage {
  readonly seed: number
  readonly scheduler: Scheduler
  readonly draw: SeededDraw
  /** The records, unless they are in DynamoDB, and all blobs. */
  readonly store: SimStore
  /** The current records, in either store. */
  readonly records: CurrentRecords
  readonly manualWrites: ManualWrites
  readonly queue: ChainQueuePort
  readonly nudges: NudgesPort
  readonly hints: {
    readonly notify: (deployment: DeploymentId, operation: OperationId) => void
    readonly listen: HintsPort['listen']
  }
  readonly observer: Observer
  /** The AWS services, in worlds whose ports use the AWS adapters. */
  readonly aws: AwsServices | undefined
  /** Listeners for the next changes of a head, by `<deployment> <operation>`. */
  readonly headListeners: Map<string, () => void>
  /** Operations that no executor can begin, by `<deployment> <operation>`. */
  readonly operationsWithoutBegin: Set<string>
  /** Adds a line to the trace, with the virtual time. */
  readonly trace: (line: string) => void
  readonly lines: readonly string[]
  readonly isTraced: boolean
  /** Whether faults strike. A run without faults has fewer checks. */
  readonly hasFaults: boolean
  /** Records a broken rule. */
  readonly violate: (violation: string) => void
  readonly violations: readonly string[]
}

/** Options of a world besides its seed. */
export interface WorldOptions {
  /** Omits the trace, which is faster. */
  readonly isQuiet?: boolean
  /** Whether faults strike. */
  readonly hasFaults?: boolean
  /** The platform; if absent, it is drawn. */
  readonly platform?: WorldPlatform
}

/** Models of the AWS services, or a store and queue in memory. */
export type WorldPlatform = 'aws' | 'memory'

/** The share of worlds that run on models of the AWS services. */
const awsShare = 0.1

/** Creates an empty world. `observerOf` receives the world that it observes. */
export function createWorld(
  seed: number,
  observerOf: (world: World) => Observer,
  options: WorldOptions = {},
): World {
  const scheduler = createScheduler()
  const draw = createDraw(seed)
  const lines: string[] = []
  const violations: string[] = []
  const listeners = new Map<DeploymentId, Set<(operation: OperationId) => void>>()
  const coverage = createCoverage()
  const headListeners = new Map<string, () => void>()
  const isRetired = (deployment: DeploymentId, executor: ExecutorId): boolean =>
    world.records.leases
      .list(deployment)
      .some(lease => lease.executor === executor && lease.retired)
  const queue = createQueue(scheduler, draw.fork('queue'), isRetired)
  const observer: Observer = {
    onTextStored: text => observerOf(world).onTextStored(text),
    onHeadChanged(change) {
      observerOf(world).onHeadChanged(change)
      if (change.after !== change.before) headListeners.get(change.headKey)?.()
    },
    onAppended: (deployment, record) => observerOf(world).onAppended(deployment, record),
    onClosed: deployment => observerOf(world).onClosed(deployment),
    onPublished: (blob, version) => observerOf(world).onPublished(blob, version),
    onRule: rule => observerOf(world).onRule(rule),
  }
  const store = createStore(observer)
  const drawnPlatform: WorldPlatform = draw.fork('platform').chance(awsShare) ? 'aws' : 'memory'
  const isAws = (options.platform ?? drawnPlatform) === 'aws'
  const aws = isAws ? createAwsServices({ scheduler, draw, ...coverage, observer }) : undefined
  const world: World = {
    ...coverage,
    seed,
    scheduler,
    draw,
    store,
    records: aws === undefined ? store : readCurrentRecords(aws.dynamo.tables, store.blobs),
    manualWrites:
      aws === undefined
        ? createStoreWrites(store)
        : createManualWrites(aws.dynamo, { scheduler, draw }),
    queue,
    nudges: createNudges(scheduler),
    hints: {
      notify(deployment, operation) {
        for (const listener of listeners.get(deployment) ?? []) listener(operation)
      },
      listen(deployment, listener) {
        const deploymentListeners = listeners.get(deployment) ?? new Set()
        listeners.set(deployment, deploymentListeners)
        deploymentListeners.add(listener)
        return () => void deploymentListeners.delete(listener)
      },
    },
    observer,
    aws,
    headListeners,
    operationsWithoutBegin: new Set(),
    trace(line) {
      if (options.isQuiet !== true) lines.push(`${scheduler.nowMs()} ${line}`)
    },
    lines,
    isTraced: options.isQuiet !== true,
    hasFaults: options.hasFaults === true,
    violate(violation) {
      lines.push(`${scheduler.nowMs()} VIOLATION ${violation}`)
      if (!violations.includes(violation)) violations.push(violation)
    },
    violations,
  }
  return world
}

function createStoreWrites({ catalog, control, operations }: SimStore): ManualWrites {
  return { createStack: catalog.createStack, stop: control.stop, arrive: operations.arrive }
}

/** A world with its cloud and its checks. */
export interface ObservedWorld {
  readonly world: World
  readonly cloud: ModelCloud
  readonly checks: Observer
}

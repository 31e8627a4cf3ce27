import type { ChainQueuePort, HintsPort, NudgesPort } from '../../shared/ports/queue.ts'
import type { DeploymentId, ExecutorId, OperationId } from '../../shared/records/ids.ts'
import type { Cloud } from './cloud.ts'
import { byHandOver } from './dynamo-calls.ts'
import { type AwsServices, createAwsServices } from './aws-services.ts'
import { type Coverage, createCoverage } from './coverage.ts'
import { createDraw, type Draw } from './draw.ts'
import { createNudges } from './nudges.ts'
import { createQueue } from './queue.ts'
import { type ByHand, type RecordsNow, recordsIn } from './records-now.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'
import { createStore, type Observer, type SimStore } from './store.ts'

/** Everything that outlives a process. */
export interface World extends Coverage {
  readonly seed: number
  readonly scheduler: Scheduler
  readonly draw: Draw
  /** The records where they are not in DynamoDB, and all blobs. */
  readonly store: SimStore
  /** The records of this moment, wherever they are. */
  readonly records: RecordsNow
  readonly byHand: ByHand
  readonly queue: ChainQueuePort
  readonly nudges: NudgesPort
  readonly hints: {
    readonly tell: (deployment: DeploymentId, operation: OperationId) => void
    readonly listen: HintsPort['listen']
  }
  readonly observer: Observer
  /** Records, queues and blobs are reached through the adapters for AWS, in some worlds. */
  readonly aws: AwsServices | undefined
  /** Who waits for the next changes of a head, by `<deployment> <operation>`. */
  readonly changed: Map<string, () => void>
  /** Operations that no executor can begin, by `<deployment> <operation>`. */
  readonly poisoned: Set<string>
  /** Notes what happened, with its time. */
  readonly trace: (line: string) => void
  readonly lines: readonly string[]
  readonly isTraced: boolean
  /** Whether faults strike: a run without any is looked at less closely. */
  readonly isStruck: boolean
  /** Notes a broken rule. */
  readonly violate: (what: string) => void
  readonly violations: readonly string[]
}

/** What a world is like besides its seed. */
export interface Trace {
  /** Keeps no trace: faster. */
  readonly isQuiet?: boolean
  /** Whether faults strike. */
  readonly isStruck?: boolean
  /** Where it is: drawn where it is absent. */
  readonly platform?: Platform
}

/** On models of the services of AWS, or on a store and queue in memory. */
export type Platform = 'aws' | 'memory'

/** How many worlds are on AWS: on models of its services. */
const awsWorlds = 0.1

/** An empty world. `observerOf` gets the world that it looks at. */
export function createWorld(
  seed: number,
  observerOf: (world: World) => Observer,
  about: Trace = {},
): World {
  const scheduler = createScheduler()
  const draw = createDraw(seed)
  const lines: string[] = []
  const violations: string[] = []
  const listeners = new Map<DeploymentId, Set<(operation: OperationId) => void>>()
  const coverage = createCoverage()
  const changed = new Map<string, () => void>()
  const isRetired = (deployment: DeploymentId, executor: ExecutorId): boolean =>
    world.records.leases
      .list(deployment)
      .some(lease => lease.executor === executor && lease.retired)
  const queue = createQueue(scheduler, draw.fork('queue'), isRetired)
  const observer: Observer = {
    kept: text => observerOf(world).kept(text),
    headChanged(change) {
      observerOf(world).headChanged(change)
      if (change.after !== change.before) changed.get(change.at)?.()
    },
    appended: (deployment, record) => observerOf(world).appended(deployment, record),
    closed: deployment => observerOf(world).closed(deployment),
    published: (blob, version) => observerOf(world).published(blob, version),
    refused: rule => observerOf(world).refused(rule),
  }
  const store = createStore(observer)
  const drawn: Platform = draw.fork('platform').chance(awsWorlds) ? 'aws' : 'memory'
  const isAws = (about.platform ?? drawn) === 'aws'
  const aws = isAws ? createAwsServices({ scheduler, draw, ...coverage, observer }) : undefined
  const world: World = {
    ...coverage,
    seed,
    scheduler,
    draw,
    store,
    records: aws === undefined ? store : recordsIn(aws.dynamo.tables, store.blobs),
    byHand: aws === undefined ? byHandIn(store) : byHandOver(aws.dynamo, { scheduler, draw }),
    queue,
    nudges: createNudges(scheduler),
    hints: {
      tell(deployment, operation) {
        for (const heard of listeners.get(deployment) ?? []) heard(operation)
      },
      listen(deployment, heard) {
        const here = listeners.get(deployment) ?? new Set()
        listeners.set(deployment, here)
        here.add(heard)
        return () => void here.delete(heard)
      },
    },
    observer,
    aws,
    changed,
    poisoned: new Set(),
    trace(line) {
      if (about.isQuiet !== true) lines.push(`${scheduler.nowMs()} ${line}`)
    },
    lines,
    isTraced: about.isQuiet !== true,
    isStruck: about.isStruck === true,
    violate(what) {
      lines.push(`${scheduler.nowMs()} VIOLATION ${what}`)
      if (!violations.includes(what)) violations.push(what)
    },
    violations,
  }
  return world
}

function byHandIn({ catalog, control, operations }: SimStore): ByHand {
  return { createStack: catalog.createStack, stop: control.stop, arrive: operations.arrive }
}

/** A world with the cloud that it is about. */
export interface Place {
  readonly world: World
  readonly cloud: Cloud
  readonly checks: Observer
}

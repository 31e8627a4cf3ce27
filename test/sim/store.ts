import type {
  BeginResult,
  BlobsPort,
  ControlPort,
  DecisionLogPort,
  EventsPort,
  LeasesPort,
  OperationsPort,
} from '../../shared/ports/records.ts'
import type { CatalogPort } from '../../shared/ports/catalog.ts'
import type { RetentionPort } from '../../shared/ports/retention.ts'
import type { Control, Lease, Outcome } from '../../shared/records/head.ts'
import type { BlobHash, DeploymentId, OperationId } from '../../shared/records/ids.ts'
import type { LogRecord } from '../../shared/records/log.ts'
import { createHash } from 'node:crypto'
import { error } from '../../shared/errors/error.ts'
import { createSimCatalog } from './catalog.ts'
import type { Sync } from './sync.ts'
import { createHeads, type HeadChange } from './heads.ts'
import { createRetention, tableOf } from './retention.ts'

/** The records of all deployments, in a store without a network. */
export interface SimStore {
  readonly log: Sync<DecisionLogPort>
  readonly operations: Sync<OperationsPort>
  readonly control: Sync<ControlPort>
  readonly leases: Sync<LeasesPort>
  readonly events: Sync<EventsPort>
  readonly catalog: Sync<CatalogPort>
  readonly blobs: Sync<BlobsPort>
  readonly retention: Sync<RetentionPort>
}

/** Observes all writes of the store. */
export interface Observer {
  /** Called with the text of everything that is stored. */
  readonly onKept: (text: string) => void
  readonly onHeadChanged: (change: HeadChange) => void
  readonly onAppended: (deployment: DeploymentId, record: LogRecord) => void
  readonly onClosed: (deployment: DeploymentId) => void
  /** Called when a condition of the store refused a request, or answered it as done before. */
  readonly onRefused: (rule: string) => void
  readonly onPublished: (blob: BlobHash, version: number) => void
}

const stops = ['none', 'graceful', 'forced'] as const

/** Creates an empty store. Its conditions are those of the ports, and its records are texts. */
export function createStore(observer: Observer): SimStore {
  const heads = createHeads(observer.onHeadChanged)
  const outcomes = new Map<string, Outcome>()
  const blobs = new Map<BlobHash, Uint8Array>()
  const [logs, leases] = [new Map<DeploymentId, Kept[]>(), new Map<DeploymentId, Leases>()]
  const controls = new Map<DeploymentId, ControlRow>()
  const control = createControl(observer, controls)
  const { removeVersions, ...catalog } = createSimCatalog(observer.onPublished, observer.onRefused)
  const tables = [logs, outcomes, heads.all, leases, controls].map(tableOf)
  return {
    log: createLog(observer, logs),
    control,
    leases: createLeases(leases),
    events: createEvents(observer),
    catalog,
    retention: createRetention(tables, { control, catalog }, removeVersions),
    operations: {
      arrive: (deployment, to, from) => heads.arrive(deployment, to, from),
      begin: (deployment, operation, claim): BeginResult =>
        heads.begin(`${deployment} ${operation}`, claim),
      giveBack: (deployment, operation, owner, attempt) =>
        heads.free(`${deployment} ${operation}`, { event: 'giveBack', owner, attempt }),
      lapse: (deployment, operation, owner, attempt) =>
        heads.free(`${deployment} ${operation}`, { event: 'lapse', owner, attempt }),
      putOutcome(deployment, outcome) {
        const at = `${deployment} ${outcome.operation} ${outcome.attempt}`
        if (outcomes.has(at)) return
        observer.onKept(JSON.stringify(outcome))
        outcomes.set(at, outcome)
      },
      getOutcome: (deployment, operation, attempt) =>
        outcomes.get(`${deployment} ${operation} ${attempt}`),
      select: (deployment, operation, end) => heads.select(`${deployment} ${operation}`, end),
      getHeads: (deployment, operations) =>
        new Map(operations.flatMap(id => pairOf(id, heads.at(`${deployment} ${id}`)))),
      getEnds: (deployment, operations) =>
        new Map(
          operations.flatMap(id => {
            const head = heads.at(`${deployment} ${id}`)
            if (head === undefined) return []
            const outcome =
              head.end === undefined
                ? undefined
                : outcomes.get(`${deployment} ${id} ${head.end.attempt}`)
            return [[id, outcome === undefined ? { head } : { head, outcome }] as const]
          }),
        ),
    },
    blobs: {
      put(bytes) {
        const hash = createHash('sha256').update(bytes).digest('hex') as BlobHash
        if (!blobs.has(hash)) observer.onKept(Buffer.from(bytes).toString('utf8'))
        blobs.set(hash, bytes)
        return hash
      },
      get(hash) {
        const bytes = blobs.get(hash)
        if (bytes === undefined) throw error('STATE_INVALID', `the blob ${hash} is absent`)
        return bytes
      },
    },
  }
}

function pairOf<T>(id: OperationId, found: T | undefined): readonly (readonly [OperationId, T])[] {
  return found === undefined ? [] : [[id, found]]
}

/** Parses a stored record. */
export function parseStored<T>(text: string): T {
  return JSON.parse(text) as T
}

/** A record with its text: callers do not modify a record that they pass or receive. */
interface Kept {
  readonly text: string
  readonly record: LogRecord
}

function createLog(observer: Observer, logs: Map<DeploymentId, Kept[]>): SimStore['log'] {
  return {
    append(deployment, record) {
      const text = JSON.stringify(record)
      const log = logs.get(deployment) ?? []
      logs.set(deployment, log)
      const there = log[record.number]
      if (there !== undefined && there.text !== text) {
        const stops = record.decisions.some(one => 'phase' in one && one.phase === 'stopping')
        observer.onRefused('an append of a deposed generator is refused')
        if (stops) observer.onRefused('a deposed generator cannot stop its successor')
      }
      if (there !== undefined) return there.text === text ? 'mine' : 'taken'
      if (record.number !== log.length) return 'taken'
      observer.onKept(text)
      observer.onAppended(deployment, record)
      log.push({ text, record })
      return 'appended'
    },
    read: (deployment, from, limit) =>
      (logs.get(deployment) ?? []).slice(from, from + limit).map(({ record }) => record),
  }
}

type ControlRow = Control & { readonly call: string; readonly held: number }
type Leases = Map<string, Lease>

function createControl(
  observer: Observer,
  controls: Map<DeploymentId, ControlRow>,
): SimStore['control'] {
  const change = (deployment: DeploymentId, changed: Partial<Control>): void => {
    const there = controls.get(deployment)
    if (there !== undefined) controls.set(deployment, { ...there, ...changed })
  }
  return {
    create(deployment, holder, call = '') {
      const there = controls.get(deployment)
      if (there !== undefined) return there.call === call
      controls.set(deployment, { stop: 'none', holder, closed: false, call, held: -1 })
      return true
    },
    read(deployment) {
      const there = controls.get(deployment)
      if (there === undefined) return undefined
      const { call: _call, held: _held, ...control } = there
      return control
    },
    stop(deployment, stop) {
      const there = controls.get(deployment)
      if (there !== undefined && stops.indexOf(there.stop) < stops.indexOf(stop))
        change(deployment, { stop })
    },
    handOver(deployment, holder, handedOver) {
      const there = controls.get(deployment)
      const isHeld = there !== undefined && !there.closed && there.holder.pid === holder.pid
      if (isHeld) change(deployment, { handedOver })
      return isHeld
    },
    hold(deployment, holder, at) {
      const there = controls.get(deployment)
      if (there === undefined || there.held >= at) return
      const { handedOver: _over, ...control } = there
      controls.set(deployment, { ...control, holder, held: at })
    },
    close(deployment) {
      if (controls.has(deployment)) observer.onClosed(deployment)
      change(deployment, { closed: true })
    },
  }
}

function createLeases(leases: Map<DeploymentId, Leases>): SimStore['leases'] {
  const change = (deployment: DeploymentId, lease: Lease | undefined, to: Partial<Lease>): void => {
    if (lease !== undefined) leases.get(deployment)?.set(lease.executor, { ...lease, ...to })
  }
  return {
    register(deployment, executor, holder) {
      const there = leases.get(deployment) ?? new Map<string, Lease>()
      leases.set(deployment, there)
      if (there.has(executor)) return
      there.set(executor, { executor, holder, counter: 0, retired: false, left: false, groups: [] })
    },
    renew(deployment, executor, groups) {
      const lease = leases.get(deployment)?.get(executor)
      if (lease === undefined || lease.retired) return false
      change(deployment, lease, { groups, counter: lease.counter + 1 })
      return true
    },
    retire: (deployment, executor) =>
      change(deployment, leases.get(deployment)?.get(executor), { retired: true }),
    leave: (deployment, executor) =>
      change(deployment, leases.get(deployment)?.get(executor), { retired: true, left: true }),
    list: deployment => [...(leases.get(deployment)?.values() ?? [])],
  }
}

function createEvents(observer: Observer): SimStore['events'] {
  const lines = new Map<string, string>()
  return {
    append(deployment, writer, first, events) {
      for (const [at, event] of events.entries()) {
        const key = `${deployment} ${writer} ${first + at}`
        if (lines.has(key)) continue
        observer.onKept(event)
        lines.set(key, event)
      }
    },
    read: (_deployment, cursor) => ({ events: [], cursor }),
  }
}

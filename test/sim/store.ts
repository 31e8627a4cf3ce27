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
import { createError } from '../../shared/errors/error.ts'
import { createSimCatalog } from './catalog.ts'
import type { SynchronousPort } from './sync.ts'
import { createHeads, type HeadChange } from './heads.ts'
import { createRetention, recordTableOf } from './retention.ts'

/** The records of all deployments, in a store without a network. */
export interface SimStore {
  readonly log: SynchronousPort<DecisionLogPort>
  readonly operations: SynchronousPort<OperationsPort>
  readonly control: SynchronousPort<ControlPort>
  readonly leases: SynchronousPort<LeasesPort>
  readonly events: SynchronousPort<EventsPort>
  readonly catalog: SynchronousPort<CatalogPort>
  readonly blobs: SynchronousPort<BlobsPort>
  readonly retention: SynchronousPort<RetentionPort>
}

/** Observes all writes of the store. */
export interface Observer {
  /** Called with each stored text that can contain a secret, such as a log record or a message. */
  readonly onTextStored: (text: string) => void
  readonly onHeadChanged: (change: HeadChange) => void
  readonly onAppended: (deployment: DeploymentId, record: LogRecord) => void
  readonly onClosed: (deployment: DeploymentId) => void
  /** Called with a rule that the store observed, such as a refused append or a repetition. */
  readonly onRule: (rule: string) => void
  readonly onPublished: (blob: BlobHash, version: number) => void
}

/** The stop flags, in ascending order: a later one replaces an earlier one. */
const stops = ['none', 'graceful', 'forced'] as const

/** Creates an empty store. Its writes have the conditions that the ports require. */
export function createStore(observer: Observer): SimStore {
  const heads = createHeads(observer.onHeadChanged)
  const outcomes = new Map<string, Outcome>()
  const blobs = new Map<BlobHash, Uint8Array>()
  const [logs, leases] = [
    new Map<DeploymentId, StoredLogRecord[]>(),
    new Map<DeploymentId, Leases>(),
  ]
  const controls = new Map<DeploymentId, ControlRow>()
  const control = createControl(observer, controls)
  const { removeVersions, ...catalog } = createSimCatalog(observer.onPublished, observer.onRule)
  const tables = [logs, outcomes, heads.allHeads, leases, controls].map(recordTableOf)
  return {
    log: createLog(observer, logs),
    control,
    leases: createLeases(leases),
    events: createEvents(observer),
    catalog,
    retention: createRetention(tables, { control, catalog }, removeVersions),
    operations: {
      arrive: (deployment, to, from) => heads.arrive(deployment, to, from),
      begin: (deployment, operation, beginRequest): BeginResult =>
        heads.begin(`${deployment} ${operation}`, beginRequest),
      giveBack: (deployment, operation, owner, attempt) =>
        heads.removeOwner(`${deployment} ${operation}`, { event: 'giveBack', owner, attempt }),
      lapse: (deployment, operation, owner, attempt) =>
        heads.removeOwner(`${deployment} ${operation}`, { event: 'lapse', owner, attempt }),
      putOutcome(deployment, outcome) {
        const key = `${deployment} ${outcome.operation} ${outcome.attempt}`
        if (outcomes.has(key)) return
        observer.onTextStored(JSON.stringify(outcome))
        outcomes.set(key, outcome)
      },
      getOutcome: (deployment, operation, attempt) =>
        outcomes.get(`${deployment} ${operation} ${attempt}`),
      select: (deployment, operation, end) => heads.select(`${deployment} ${operation}`, end),
      getHeads: (deployment, operations) =>
        new Map(operations.flatMap(id => pairOf(id, heads.getHead(`${deployment} ${id}`)))),
      getEnds: (deployment, operations) =>
        new Map(
          operations.flatMap(id => {
            const head = heads.getHead(`${deployment} ${id}`)
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
        if (!blobs.has(hash)) observer.onTextStored(Buffer.from(bytes).toString('utf8'))
        blobs.set(hash, bytes)
        return hash
      },
      get(hash) {
        const bytes = blobs.get(hash)
        if (bytes === undefined) throw createError('STATE_INVALID', `the blob ${hash} is absent`)
        return bytes
      },
    },
  }
}

function pairOf<T>(id: OperationId, record: T | undefined): readonly (readonly [OperationId, T])[] {
  return record === undefined ? [] : [[id, record]]
}

/** Parses a stored record. */
export function parseStored<T>(text: string): T {
  return JSON.parse(text) as T
}

/** A log record with its text. Callers do not modify a record that they pass or receive. */
interface StoredLogRecord {
  readonly text: string
  readonly record: LogRecord
}

function createLog(
  observer: Observer,
  logs: Map<DeploymentId, StoredLogRecord[]>,
): SimStore['log'] {
  return {
    append(deployment, record) {
      const text = JSON.stringify(record)
      const log = logs.get(deployment) ?? []
      logs.set(deployment, log)
      const existing = log[record.number]
      if (existing !== undefined && existing.text !== text) {
        const isStopping = record.decisions.some(
          decision => 'phase' in decision && decision.phase === 'stopping',
        )
        observer.onRule('an append of a deposed generator is refused')
        if (isStopping) observer.onRule('a deposed generator cannot stop its successor')
      }
      if (existing !== undefined) return existing.text === text ? 'already-appended' : 'refused'
      if (record.number !== log.length) return 'refused'
      observer.onTextStored(text)
      observer.onAppended(deployment, record)
      log.push({ text, record })
      return 'appended'
    },
    read: (deployment, from, limit) =>
      (logs.get(deployment) ?? []).slice(from, from + limit).map(({ record }) => record),
  }
}

/**
 * A control record with the id of the request that created it. `heldFromNumber` is the number of
 * the log record with which its holder took the log.
 */
type ControlRow = Control & { readonly call: string; readonly heldFromNumber: number }
type Leases = Map<string, Lease>

function createControl(
  observer: Observer,
  controls: Map<DeploymentId, ControlRow>,
): SimStore['control'] {
  const change = (deployment: DeploymentId, fields: Partial<Control>): void => {
    const existing = controls.get(deployment)
    if (existing !== undefined) controls.set(deployment, { ...existing, ...fields })
  }
  return {
    create(deployment, holder, call = '') {
      const existing = controls.get(deployment)
      if (existing !== undefined) return existing.call === call
      controls.set(deployment, { stop: 'none', holder, closed: false, call, heldFromNumber: -1 })
      return true
    },
    read(deployment) {
      const existing = controls.get(deployment)
      if (existing === undefined) return undefined
      const { call: _call, heldFromNumber: _held, ...control } = existing
      return control
    },
    stop(deployment, stop) {
      const existing = controls.get(deployment)
      if (existing !== undefined && stops.indexOf(existing.stop) < stops.indexOf(stop))
        change(deployment, { stop })
    },
    handOver(deployment, holder, handedOver) {
      const existing = controls.get(deployment)
      const isHeld =
        existing !== undefined && !existing.closed && existing.holder.pid === holder.pid
      if (isHeld) change(deployment, { handedOver })
      return isHeld
    },
    hold(deployment, holder, logNumber) {
      const existing = controls.get(deployment)
      if (existing === undefined || existing.heldFromNumber >= logNumber) return
      const { handedOver: _over, ...control } = existing
      controls.set(deployment, { ...control, holder, heldFromNumber: logNumber })
    },
    close(deployment) {
      if (controls.has(deployment)) observer.onClosed(deployment)
      change(deployment, { closed: true })
    },
  }
}

function createLeases(leases: Map<DeploymentId, Leases>): SimStore['leases'] {
  const change = (
    deployment: DeploymentId,
    lease: Lease | undefined,
    fields: Partial<Lease>,
  ): void => {
    if (lease !== undefined) leases.get(deployment)?.set(lease.executor, { ...lease, ...fields })
  }
  return {
    register(deployment, executor, holder) {
      const existing = leases.get(deployment) ?? new Map<string, Lease>()
      leases.set(deployment, existing)
      if (existing.has(executor)) return
      existing.set(executor, {
        executor,
        holder,
        counter: 0,
        retired: false,
        left: false,
        groups: [],
      })
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
      for (const [index, event] of events.entries()) {
        const key = `${deployment} ${writer} ${first + index}`
        if (lines.has(key)) continue
        observer.onTextStored(event)
        lines.set(key, event)
      }
    },
    read: (_deployment, cursor) => ({ events: [], cursor, hasMore: false }),
  }
}

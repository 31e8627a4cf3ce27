/**
 * records: common parts of all adapters of the record ports. Imports ports and below.
 *
 * Invariant: a record above the item limit is stored in the blob store, durably before the record
 * that references it. Readers get it back unchanged. The rule is here and not in an adapter, so
 * that all stores accept the same records.
 */
import { limits } from '../../config/limits.ts'
import { error } from '../../errors/error.ts'
import type { CatalogPort } from '../../ports/catalog.ts'
import type { BlobsPort, DecisionLogPort, OperationsPort } from '../../ports/records.ts'
import type { Outcome, ViewOutcome } from '../../records/head.ts'
import type { BlobHash, OperationId } from '../../records/ids.ts'
import type { LateOutcome } from '../../records/late-outcome.ts'
import type { Decision, LogRecord } from '../../records/log.ts'
import type { StoredResource } from '../../state/stored.ts'

/** Returns heads and outcomes that store large states as blobs. */
export function withLargeOutcomes(operations: OperationsPort, blobs: BlobsPort): OperationsPort {
  const loadBlobs = async (outcome: Outcome): Promise<Outcome> => {
    const { stateBlob, viewsBlob, ...rest } = outcome
    return {
      ...rest,
      ...(stateBlob === undefined ? {} : { state: await readState(blobs, stateBlob) }),
      ...(viewsBlob === undefined ? {} : { views: await readViews(blobs, viewsBlob) }),
    }
  }
  return {
    ...operations,
    putOutcome: async (deployment, outcome) => {
      const { state, views, ...rest } = outcome
      if (!isLarge(outcome)) return operations.putOutcome(deployment, outcome)
      await operations.putOutcome(deployment, {
        ...rest,
        ...(state === undefined ? {} : { stateBlob: await putJson(blobs, state) }),
        ...(views === undefined ? {} : { viewsBlob: await putJson(blobs, views) }),
      })
    },
    getOutcome: async (deployment, operation, attempt) => {
      const found = await operations.getOutcome(deployment, operation, attempt)
      return found === undefined ? undefined : loadBlobs(found)
    },
    getEnds: async (deployment, ids) => {
      const ends = new Map(await operations.getEnds(deployment, ids))
      for (const [id, end] of findLarge(ends))
        ends.set(id, { ...end, outcome: await loadBlobs(end.outcome) })
      return ends
    },
  }
}

type End = { readonly outcome?: Outcome }

function findLarge<E extends End>(
  ends: ReadonlyMap<OperationId, E>,
): readonly (readonly [OperationId, E & { readonly outcome: Outcome }])[] {
  return [...ends].flatMap(([id, end]) => {
    const { outcome } = end
    if (outcome === undefined) return []
    const { stateBlob, viewsBlob } = outcome
    const isWhole = stateBlob === undefined && viewsBlob === undefined
    return isWhole ? [] : [[id, { ...end, outcome }] as const]
  })
}

/** Returns a decision log that stores large records as blobs. */
export function withLargeDecisions(
  decisionLog: DecisionLogPort,
  blobs: BlobsPort,
): DecisionLogPort {
  return {
    append: async (deployment, record) => {
      if (!isLarge(record)) return decisionLog.append(deployment, record)
      const decisionsBlob = await putJson(blobs, record.decisions)
      const names = record.decisions.flatMap(referencedBlobsOf)
      return decisionLog.append(deployment, { ...record, decisions: [], decisionsBlob, names })
    },
    read: async (deployment, from, limit) => {
      const records: LogRecord[] = []
      for (const record of await decisionLog.read(deployment, from, limit)) {
        const { decisionsBlob, names: _names, ...rest } = record
        records.push(
          decisionsBlob === undefined
            ? record
            : { ...rest, decisions: await readDecisions(blobs, decisionsBlob) },
        )
      }
      return records
    },
  }
}

/** Returns a catalog whose inbox stores large states as blobs. */
export function withLargeLate(catalog: CatalogPort, blobs: BlobsPort): CatalogPort {
  return {
    ...catalog,
    putLate: async (id, item) => {
      if (!isLarge(item)) return catalog.putLate(id, item)
      const { urn, custom, type } = item.state
      const stateBlob = await putJson(blobs, item.state)
      await catalog.putLate(id, { ...item, state: { urn, custom, type }, stateBlob })
    },
    listLate: async (id, limit) => {
      const items: LateOutcome[] = []
      for (const item of await catalog.listLate(id, limit)) {
        const { stateBlob, ...rest } = item
        items.push(
          stateBlob === undefined ? item : { ...rest, state: await readState(blobs, stateBlob) },
        )
      }
      return items
    },
  }
}

function isLarge(record: unknown): boolean {
  return Buffer.byteLength(JSON.stringify(record)) > limits.recordBytesMax
}

/**
 * Returns the blobs that a decision references. The mark phase of the sweep must find them without
 * reading the decision's own blob.
 */
function referencedBlobsOf(decision: Decision): readonly BlobHash[] {
  if (decision.kind === 'plan') return decision.pages
  if (decision.kind !== 'pin') return []
  const { base, place, options } = decision
  return [base, place.archive, options.plan].flatMap(hash =>
    hash === undefined || hash === '' ? [] : [hash],
  )
}

function putJson(blobs: BlobsPort, json: unknown): Promise<BlobHash> {
  return blobs.put(Buffer.from(JSON.stringify(json)))
}

async function readJson(blobs: BlobsPort, hash: BlobHash): Promise<unknown> {
  return JSON.parse(Buffer.from(await blobs.get(hash)).toString('utf8'))
}

async function readState(blobs: BlobsPort, hash: BlobHash): Promise<StoredResource> {
  const state = await readJson(blobs, hash)
  if (!isState(state))
    throw error('STATE_INVALID', `the blob ${hash} is not the state of a resource`)
  return state
}

async function readViews(blobs: BlobsPort, hash: BlobHash): Promise<readonly ViewOutcome[]> {
  const views = await readJson(blobs, hash)
  if (!areViews(views)) throw error('STATE_INVALID', `the blob ${hash} does not contain view steps`)
  return views
}

function areViews(json: unknown): json is readonly ViewOutcome[] {
  return Array.isArray(json) && json.every(one => typeof one === 'object' && 'effect' in one)
}

function isState(json: unknown): json is StoredResource {
  return typeof json === 'object' && json !== null && 'urn' in json && 'type' in json
}

async function readDecisions(blobs: BlobsPort, hash: BlobHash): Promise<readonly Decision[]> {
  const decisions = await readJson(blobs, hash)
  if (!areDecisions(decisions))
    throw error('STATE_INVALID', `the blob ${hash} is not part of a decision log`)
  return decisions
}

function areDecisions(json: unknown): json is readonly Decision[] {
  return Array.isArray(json) && json.every(one => typeof one === 'object' && 'kind' in one)
}

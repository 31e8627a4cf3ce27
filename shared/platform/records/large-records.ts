/**
 * records: functions that all adapters of the record ports share. Imports ports and below.
 *
 * Invariant: when a record exceeds `limits.recordBytesMax`, its large parts are stored as blobs.
 * The blobs are durable before the record that references them is written. Readers get the original
 * record. The rule is here and not in an adapter, so that all stores accept the same records.
 */
import { limits } from '../../config/limits.ts'
import { createError } from '../../errors/error.ts'
import type { CatalogPort } from '../../ports/catalog.ts'
import type { BlobsPort, DecisionLogPort, OperationsPort } from '../../ports/records.ts'
import type { Outcome, ViewOutcome } from '../../records/head.ts'
import type { BlobHash, OperationId } from '../../records/ids.ts'
import type { LateOutcome } from '../../records/late-outcome.ts'
import type { Decision, LogRecord } from '../../records/log.ts'
import type { StoredResource } from '../../state/stored.ts'
import { storedResourceForm } from '../../state/envelope.ts'
import { documentDepthMax, isNestedDeeper } from '../../values/nesting.ts'
import { parseJson } from '../../values/parse-json.ts'
import { isDecisionList, isRecordObject } from './record-layouts.ts'
import { parseForm } from '../../values/parse-form.ts'

/** Returns an operations port that stores the states and views of large outcomes as blobs. */
export function withLargeOutcomes(operations: OperationsPort, blobs: BlobsPort): OperationsPort {
  const loadBlobs = async (outcome: Outcome): Promise<Outcome> => {
    const { stateBlob, viewsBlob, ...rest } = outcome
    return {
      ...rest,
      ...(stateBlob === undefined ? {} : { state: await readStateBlob(blobs, stateBlob) }),
      ...(viewsBlob === undefined ? {} : { views: await readViewsBlob(blobs, viewsBlob) }),
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
      const storedOutcome = await operations.getOutcome(deployment, operation, attempt)
      return storedOutcome === undefined ? undefined : loadBlobs(storedOutcome)
    },
    getEnds: async (deployment, ids) => {
      const ends = new Map(await operations.getEnds(deployment, ids))
      for (const [id, end] of findEndsWithBlobs(ends))
        ends.set(id, { ...end, outcome: await loadBlobs(end.outcome) })
      return ends
    },
  }
}

type SelectedEnd = { readonly outcome?: Outcome }

function findEndsWithBlobs<E extends SelectedEnd>(
  ends: ReadonlyMap<OperationId, E>,
): readonly (readonly [OperationId, E & { readonly outcome: Outcome }])[] {
  return [...ends].flatMap(([id, end]) => {
    const { outcome } = end
    if (outcome === undefined) return []
    const { stateBlob, viewsBlob } = outcome
    const isInline = stateBlob === undefined && viewsBlob === undefined
    return isInline ? [] : [[id, { ...end, outcome }] as const]
  })
}

/** Returns a decision log that stores the decisions of large records as blobs. */
export function withLargeDecisions(
  decisionLog: DecisionLogPort,
  blobs: BlobsPort,
): DecisionLogPort {
  return {
    append: async (deployment, record) => {
      if (!isLarge(record)) return decisionLog.append(deployment, record)
      const decisionsBlob = await putJson(blobs, record.decisions)
      const referencedBlobs = record.decisions.flatMap(referencedBlobsOf)
      return decisionLog.append(deployment, {
        ...record,
        decisions: [],
        decisionsBlob,
        names: referencedBlobs,
      })
    },
    read: async (deployment, fromNumber, limit) => {
      const records: LogRecord[] = []
      for (const record of await decisionLog.read(deployment, fromNumber, limit)) {
        const { decisionsBlob, names: _names, ...rest } = record
        records.push(
          decisionsBlob === undefined
            ? record
            : { ...rest, decisions: await readDecisionsBlob(blobs, decisionsBlob) },
        )
      }
      return records
    },
  }
}

/** Returns a catalog whose inbox stores large states as blobs. */
export function withLargeLateOutcomes(catalog: CatalogPort, blobs: BlobsPort): CatalogPort {
  return {
    ...catalog,
    putLateOutcome: async (id, lateOutcome) => {
      if (!isLarge(lateOutcome)) return catalog.putLateOutcome(id, lateOutcome)
      const { urn, custom, type } = lateOutcome.state
      const stateBlob = await putJson(blobs, lateOutcome.state)
      await catalog.putLateOutcome(id, { ...lateOutcome, state: { urn, custom, type }, stateBlob })
    },
    listLateOutcomes: async (id, limit) => {
      const lateOutcomes: LateOutcome[] = []
      for (const lateOutcome of await catalog.listLateOutcomes(id, limit)) {
        const { stateBlob, ...rest } = lateOutcome
        lateOutcomes.push(
          stateBlob === undefined
            ? lateOutcome
            : { ...rest, state: await readStateBlob(blobs, stateBlob) },
        )
      }
      return lateOutcomes
    },
  }
}

function isLarge(record: unknown): boolean {
  return Buffer.byteLength(JSON.stringify(record)) > limits.recordBytesMax
}

/**
 * Returns the blobs that a decision references. The log record lists them, because the blob sweep
 * reads only records, and not the blob that contains the decision.
 */
function referencedBlobsOf(decision: Decision): readonly BlobHash[] {
  if (decision.kind === 'plan') return decision.pages
  if (decision.kind === 'client-checkpoint') return [decision.snapshot]
  if (decision.kind !== 'pin') return []
  const { base, published, place, options } = decision
  return [base, published, place.archive, options.plan].flatMap(hash =>
    hash === undefined || hash === '' ? [] : [hash],
  )
}

function putJson(blobs: BlobsPort, json: unknown): Promise<BlobHash> {
  return blobs.put(Buffer.from(JSON.stringify(json)))
}

async function readJson(blobs: BlobsPort, hash: BlobHash): Promise<unknown> {
  const json = parseJson(Buffer.from(await blobs.get(hash)).toString('utf8'))
  if (json === undefined)
    throw createError('STATE_INVALID', `the blob ${hash} does not contain JSON`)
  return json
}

async function readStateBlob(blobs: BlobsPort, hash: BlobHash): Promise<StoredResource> {
  const state = await readJson(blobs, hash)
  if (isNestedDeeper(state, documentDepthMax) || !isState(state))
    throw createError('STATE_INVALID', `the blob ${hash} is not the state of a resource`)
  return state
}

async function readViewsBlob(blobs: BlobsPort, hash: BlobHash): Promise<readonly ViewOutcome[]> {
  const views = await readJson(blobs, hash)
  if (!areViews(views))
    throw createError('STATE_INVALID', `the blob ${hash} does not contain view steps`)
  return views
}

function areViews(json: unknown): json is readonly ViewOutcome[] {
  return Array.isArray(json) && json.every(view => isRecordObject(view) && 'effect' in view)
}

function isState(json: unknown): json is StoredResource {
  return parseForm(storedResourceForm, json).success
}

async function readDecisionsBlob(blobs: BlobsPort, hash: BlobHash): Promise<readonly Decision[]> {
  const decisions = await readJson(blobs, hash)
  if (!isDecisionList(decisions))
    throw createError('STATE_INVALID', `the blob ${hash} is not part of a decision log`)
  return decisions
}

import { expect, test } from 'vitest'
import type { HistoryRecord } from '../../ports/catalog.ts'
import { freshHead, type Head } from '../../records/head.ts'
import type {
  BlobHash,
  DeploymentId,
  EpochMs,
  ExecutorId,
  OperationId,
  OwnerToken,
} from '../../records/ids.ts'
import type { LogRecord } from '../../records/log.ts'
import type { Operation } from '../../records/operation.ts'
import type { RecordedEnd } from '../../engine/deployment/ends/end-watcher.ts'
import { readChangedOperations } from './read-changed-operations.ts'
import {
  type OperationRecordPorts,
  readOperationRecords,
  readOperations,
} from './read-operations.ts'

const operationCount = 2_000
const pageSize = 500

/** Creates a delete that releases the delete with the next id. */
function createPlannedDelete(id: number): Operation {
  return {
    id: id as OperationId,
    op: 'delete',
    urn: `urn:pulumi:dev::shop::a:b:C::r-${id}` as Operation['urn'],
    type: 'a:b:C',
    provider: '',
    effect: 'remove',
    needs: id === 0 ? 0 : 1,
    releases: id + 1 < operationCount ? [(id + 1) as OperationId] : [],
    logical: true,
  }
}

/** Returns a plan of deletes in which each operation releases the next one. */
function planChain(): readonly Operation[] {
  return Array.from({ length: operationCount }, (_, id) => createPlannedDelete(id))
}

const waveCount = 10
const waveSize = 4
/** The distance of the ids of equal places in two waves: the members, and the barrier behind them. */
const waveStride = waveSize + 1

/** Returns the id of the barrier behind a wave, which follows the members of the wave. */
function barrierIdOf(wave: number): OperationId {
  return (wave * waveStride + waveSize) as OperationId
}

/**
 * Returns a plan of waves. Each barrier releases the members of the next wave, and the next
 * barrier.
 */
function planWaves(): readonly Operation[] {
  return Array.from({ length: waveCount * waveStride }, (_, id): Operation => {
    const wave = Math.floor(id / waveStride)
    const isBarrier = id === barrierIdOf(wave)
    const releases = Array.from({ length: waveStride }, (_item, at) => barrierIdOf(wave) + 1 + at)
    const needs = isBarrier ? waveSize + Math.min(wave, 1) : Math.min(wave, 1)
    const member = { ...createPlannedDelete(id), needs, releases: [] }
    if (!isBarrier) return { ...member, barrier: barrierIdOf(wave) }
    const isLast = wave === waveCount - 1
    return { ...member, op: 'join', releases: isLast ? [] : (releases as OperationId[]) }
  })
}

/** Opens a deployment whose plan is decided, and counts what its readers read. */
function openPlannedDestroy(operations = planChain()) {
  const pageCount = Math.ceil(operations.length / pageSize)
  const pages = Array.from({ length: pageCount }, (_, page) =>
    operations.slice(page * pageSize, (page + 1) * pageSize),
  )
  const records = [
    {
      number: 0,
      writer: 'w',
      at: 10,
      decisions: [
        { kind: 'pin', version: 1, base: '', options: { parallel: 1 } },
        { kind: 'plan', what: 'deletes', pages: pages.map((_, at) => `p-${at}`), operations: 2 },
      ],
    },
  ] as unknown as readonly LogRecord[]
  const ends = new Map<OperationId, RecordedEnd>()
  const reads = { records: 0, pages: 0, heads: 0 }
  const ports = {
    decisionLog: {
      read: async (_id: DeploymentId, first: number, limit: number) => {
        const page = records.slice(first, first + limit)
        reads.records += page.length
        return page
      },
    },
    blobs: {
      get: async (hash: BlobHash) => {
        reads.pages += 1
        return Buffer.from(JSON.stringify(pages[Number(hash.slice(2))]))
      },
    },
    operations: {
      getEnds: async (_id: DeploymentId, ids: readonly OperationId[]) => {
        reads.heads += ids.length
        return new Map(ids.flatMap(id => (ends.has(id) ? [[id, ends.get(id)]] : [])))
      },
      getOutcome: async () => undefined,
    },
    control: { read: async () => ({ stop: 'none' }) },
    chains: { listDeadLetters: async () => [] },
    execute: 'here',
  } as unknown as OperationRecordPorts
  const record = {
    deployment: 'organization/shop/dev/1' as DeploymentId,
    startedAt: 1 as EpochMs,
  } as HistoryRecord
  return { ports, record, ends, reads }
}

const runningHead: Head = {
  ...freshHead,
  attempt: 1,
  owner: 'o' as OwnerToken,
  executor: 'e' as ExecutorId,
}

function endOf(id: number, startedAt: number, endedAt: number): RecordedEnd {
  const head: Head = { ...freshHead, attempt: 1, end: { verdict: 'succeeded', attempt: 1 } }
  const times = { startedAt: startedAt as EpochMs, endedAt: endedAt as EpochMs }
  return {
    head,
    outcome: { operation: id as OperationId, attempt: 1, verdict: 'succeeded', ...times },
  }
}

test('the further pages of a list, and changed operations, read only what has changed', async () => {
  const { ports, record, ends, reads } = openPlannedDestroy()
  await readOperations(ports, record, { start: 0, limit: 1_000 })
  const first = { ...reads }
  expect(first.heads).toBe(operationCount)
  const second = await readOperations(ports, record, { start: 1_000, limit: 1_000 })
  expect(second.operations.map(({ operation }) => operation.id)[0]).toBe(1_000)
  // An ended deployment requires its first record. An open one has no such read.
  expect(reads).toEqual(first)
  ends.set(0 as OperationId, endOf(0, 20, 100))
  ends.set(1 as OperationId, { head: { ...runningHead, arrived: [0 as OperationId] } })
  const changes = await readChangedOperations(ports, record, {
    count: operationCount,
    ids: [0 as OperationId],
  })
  expect(changes).toMatchObject({ count: operationCount, hasMore: false })
  expect(changes.operations).toMatchObject([
    { stage: 'ended', beganMs: 20, endedMs: 100, callMs: 80 },
    { stage: 'running', readyMs: 100, causeId: 0 },
  ])
  expect(reads).toEqual({ ...first, heads: first.heads + 2 })
})

test('changed operations of a plan of waves are read up to the first barrier that is open', async () => {
  const { ports, record, ends, reads } = openPlannedDestroy(planWaves())
  const count = waveCount * waveSize
  const position = { count, ids: [0 as OperationId] }
  await readChangedOperations(ports, record, { count: 0, ids: [] })
  const readAgain = async () => {
    const headsBefore = reads.heads
    const { operations } = await readChangedOperations(ports, record, position)
    const ids = operations.map(({ operation }) => operation.id)
    return { ids, heads: reads.heads - headsBefore }
  }
  // An open operation has released nothing.
  expect(await readAgain()).toEqual({ ids: [0], heads: 1 })
  ends.set(0 as OperationId, endOf(0, 20, 30))
  expect(await readAgain()).toEqual({ ids: [0], heads: 2 })
  ends.set(barrierIdOf(0), { head: { ...freshHead, end: { verdict: 'succeeded', attempt: 0 } } })
  // The first barrier, then the second wave and its barrier.
  expect(await readAgain()).toEqual({ ids: [0, 5, 6, 7, 8], heads: 1 + waveStride })
})

test('the first page of a list reads the heads again, except those that had ended', async () => {
  const { ports, record, ends, reads } = openPlannedDestroy()
  for (let id = 0; id < 1_500; id += 1) ends.set(id as OperationId, endOf(id, id, id + 1))
  const page = { start: 0, limit: 1 }
  await readOperations(ports, record, page)
  const first = reads.heads
  const { operations } = await readOperations(ports, record, page)
  expect(operations).toMatchObject([{ stage: 'ended', isCritical: true }])
  expect(reads.heads - first).toBe(500)
  expect(reads.pages).toBe(operationCount / pageSize)
})

test('new operations arrive in pages behind the known ones', async () => {
  const { ports, record } = openPlannedDestroy()
  const changes = await readChangedOperations(ports, record, { count: 0, ids: [] })
  expect(changes).toMatchObject({ count: 1_000, hasMore: true })
  const more = await readChangedOperations(ports, record, { count: changes.count, ids: [] })
  expect(more).toMatchObject({ count: 2_000, hasMore: false })
  expect(more.operations[0]?.operation.id).toBe(1_000)
})

test('the records of one operation are read without those of others, except its needs', async () => {
  const { ports, record, ends, reads } = openPlannedDestroy()
  ends.set(6 as OperationId, { head: runningHead })
  await readOperations(ports, record, { start: 0, limit: 1 })
  const first = { ...reads }
  const { operations } = await readOperationRecords(ports, record, createPlannedDelete(7).urn)
  expect(operations).toMatchObject([
    { wait: { kind: 'operations', operations: [{ id: 6, stage: 'running' }] } },
  ])
  // The operation itself, the running one, and the one for which it waits.
  expect(reads).toEqual({ ...first, heads: first.heads + 3 })
})

import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { limits } from '../../config/limits.ts'
import type { CatalogPort } from '../../ports/catalog.ts'
import type { BlobsPort, DecisionLogPort, OperationsPort } from '../../ports/records.ts'
import type { Outcome } from '../../records/head.ts'
import {
  type BlobHash,
  deploymentIdOf,
  type EpochMs,
  type LogNumber,
  type OperationId,
  stackIdOf,
  type WriterToken,
} from '../../records/ids.ts'
import type { LateOutcome } from '../../records/late-outcome.ts'
import type { LogRecord } from '../../records/log.ts'
import type { Urn } from '../../names/urn.ts'
import { withLargeDecisions, withLargeLateOutcomes, withLargeOutcomes } from './large-records.ts'

const stack = stackIdOf('p', 's')
const deployment = deploymentIdOf(stack, 1)
const large = 'x'.repeat(limits.recordBytesMax)
const at = 1 as EpochMs
const createState = (text: string) => ({
  urn: 'urn:a',
  custom: true,
  type: 'a:b:C',
  outputs: { text },
})

/** Creates blobs in memory, and an empty list `stored` for the texts that the store receives. */
function createTestBlobs() {
  const bytesByHash = new Map<string, Uint8Array>()
  const blobs: BlobsPort = {
    put: async bytes => {
      const hash = createHash('sha256').update(bytes).digest('hex')
      bytesByHash.set(hash, bytes)
      return hash as BlobHash
    },
    get: async hash => {
      const bytes = bytesByHash.get(hash)
      if (bytes === undefined) throw new Error('absent')
      return bytes
    },
  }
  return { blobs, bytesByHash, stored: [] as string[] }
}

const createOutcome = (text: string): Outcome => ({
  operation: 1 as OperationId,
  attempt: 1,
  verdict: 'succeeded',
  state: createState(text),
  startedAt: at,
  endedAt: at,
})

describe('records above the size limit', () => {
  test('a large outcome is stored as a blob and read as a whole', async () => {
    const { blobs, bytesByHash, stored } = createTestBlobs()
    const operations = withLargeOutcomes(
      {
        putOutcome: async (_: unknown, outcome: Outcome) =>
          void stored.push(JSON.stringify(outcome)),
        getOutcome: async () => JSON.parse(stored.at(-1) ?? '') as Outcome,
      } as unknown as OperationsPort,
      blobs,
    )
    for (const [text, count] of [
      ['small', 0],
      [large, 1],
    ] as const) {
      await operations.putOutcome(deployment, createOutcome(text))
      expect(stored.at(-1)?.length).toBeLessThan(1_000)
      expect(bytesByHash.size).toBe(count)
      expect(await operations.getOutcome(deployment, 1 as OperationId, 1)).toEqual(
        createOutcome(text),
      )
    }
  })

  test('a large log record is stored as a blob, and the blobs that it references stay visible in the record', async () => {
    const { blobs, stored } = createTestBlobs()
    const log = withLargeDecisions(
      {
        append: async (_: unknown, logRecord: LogRecord) => {
          stored.push(JSON.stringify(logRecord))
          return 'appended' as const
        },
        read: async () => stored.map(text => JSON.parse(text) as LogRecord),
      } satisfies DecisionLogPort,
      blobs,
    )
    const page = '7'.repeat(64) as BlobHash
    const record: LogRecord = {
      number: 0 as LogNumber,
      writer: 'w' as WriterToken,
      at,
      decisions: [
        { kind: 'plan', what: 'deletes', pages: [page], operations: 1 },
        { kind: 'answered', key: large, outputs: {}, failures: [] },
      ],
    }
    await log.append(deployment, record)
    expect(stored[0]?.length).toBeLessThan(1_000)
    expect(stored[0]).toContain(page)
    expect(await log.read(deployment, 0 as LogNumber, 9)).toEqual([record])
  })

  test('a large state in the inbox is stored as a blob', async () => {
    const { blobs, stored } = createTestBlobs()
    const catalog = withLargeLateOutcomes(
      {
        putLateOutcome: async (_: unknown, lateOutcome: LateOutcome) =>
          void stored.push(JSON.stringify(lateOutcome)),
        listLateOutcomes: async () => stored.map(text => JSON.parse(text) as LateOutcome),
      } as unknown as CatalogPort,
      blobs,
    )
    const operation = 1 as OperationId
    const item = {
      deployment,
      operation,
      attempt: 1,
      urn: 'urn:a' as Urn,
      state: createState(large),
    }
    await catalog.putLateOutcome(stack, item)
    expect(stored[0]?.length).toBeLessThan(1_000)
    expect(await catalog.listLateOutcomes(stack, 9)).toEqual([item])
  })
})

import { expect, test } from 'vitest'
import type { DecisionLogPort } from '../../ports/records.ts'
import type {
  DeploymentId,
  EpochMs,
  LogNumber,
  OperationId,
  WriterToken,
} from '../../records/ids.ts'
import type { LogRecord } from '../../records/log.ts'
import type { Operation } from '../../records/operation.ts'
import { createOperationSources } from './operation-sources.ts'
import { createTestDelete } from './test-executor.fixture.ts'

const deployment = 'stack/1' as DeploymentId

/** Returns a record with two operations, whose ids follow from its number. */
function createRecord(number: number): LogRecord {
  const ids = [2 * number + 1, 2 * number + 2] as OperationId[]
  const operations: readonly Operation[] = ids.map(id => createTestDelete(id))
  const { urn } = operations[0] ?? createTestDelete(ids[0] ?? (1 as OperationId))
  return {
    number: number as LogNumber,
    writer: 'writer' as WriterToken,
    at: 0 as EpochMs,
    decisions: [{ kind: 'registration', urn, goal: '', operations, sets: {} }],
  }
}

/** Returns a log in memory, and the numbers of the records that were read from it. */
function openLog(records: readonly LogRecord[]) {
  const readNumbers: number[] = []
  const decisionLog: Pick<DecisionLogPort, 'read'> = {
    read: async (_deployment, firstNumber, count) => {
      readNumbers.push(firstNumber)
      return records.slice(firstNumber, firstNumber + count)
    },
  }
  return { decisionLog: decisionLog as DecisionLogPort, readNumbers }
}

/** Creates sources of 100 records. Returns them, and the numbers of the records that they read. */
async function openSources() {
  const records = Array.from({ length: 100 }, (_, index) => createRecord(index))
  const { decisionLog, readNumbers } = openLog(records)
  const blobs = { get: () => Promise.reject(new Error('there are no pages')) }
  const sources = createOperationSources({ decisionLog, blobs: blobs as never }, deployment)
  for (const record of records) await sources.add(record)
  return { sources, readNumbers }
}

test('find returns each added operation, and reads a record again that was not used for a long time', async () => {
  const { sources, readNumbers } = await openSources()
  expect(readNumbers).toEqual([])

  expect((await sources.find(200 as OperationId))?.id).toBe(200)
  expect(readNumbers).toEqual([])
  expect((await sources.find(1 as OperationId))?.id).toBe(1)
  expect((await sources.find(2 as OperationId))?.id).toBe(2)
  expect(readNumbers).toEqual([0])
  for (let id = 1; id <= 200; id++) expect((await sources.find(id as OperationId))?.id).toBe(id)
  expect(await sources.find(201 as OperationId)).toBeUndefined()
})

test('concurrent finds of operations that are not in memory read their record once', async () => {
  const { sources, readNumbers } = await openSources()
  const ids = [1, 2, 1, 3] as OperationId[]
  const operations = await Promise.all(ids.map(id => sources.find(id)))
  expect(operations.map(operation => operation?.id)).toEqual(ids)
  expect(readNumbers).toEqual([0, 1])
})

import { expect, test } from 'vitest'
import type { OperationsPort } from '../../../ports/records.ts'
import { freshHead, type Head } from '../../../records/head.ts'
import type { DeploymentId, ExecutorId, OperationId, OwnerToken } from '../../../records/ids.ts'
import { endAbandonedOperations } from './end-abandoned-operations.ts'

const dead = 'dead' as ExecutorId
const living = 'living' as ExecutorId
const owner = 'token' as OwnerToken

/** Returns the operations that `endAbandonedOperations` ends if they have these heads. */
async function listEndedIds(heads: readonly Head[]): Promise<readonly OperationId[]> {
  const selected: OperationId[] = []
  const operations = {
    getHeads: async () => new Map(heads.map((head, index) => [index as OperationId, head])),
    getOutcome: async () => undefined,
    select: async (_deployment: DeploymentId, id: OperationId) => {
      selected.push(id)
      return true
    },
  } as unknown as OperationsPort
  const ids = heads.map((_head, index) => index as OperationId)
  await endAbandonedOperations(
    { operations, goneExecutors: new Set([dead]) },
    'd' as DeploymentId,
    ids,
  )
  return selected
}

test('an operation that cannot have called its provider keeps its head', async () => {
  const givenBackHead: Head = { ...freshHead, attempt: 2, givenBack: 2 }
  expect(await listEndedIds([freshHead, givenBackHead])).toEqual([])
})

test('an operation whose owner is gone or was removed is ended', async () => {
  const begun: Head = { ...freshHead, attempt: 1, owner, executor: dead }
  const lapsed: Head = { ...freshHead, attempt: 1 }
  expect(await listEndedIds([begun, lapsed])).toEqual([0, 1])
})

test('an operation that a living owner began after the stop is left for the owner to give back', async () => {
  const begun: Head = { ...freshHead, attempt: 1, owner, executor: living }
  const secondAttempt: Head = { ...begun, attempt: 2, givenBack: 1 }
  expect(await listEndedIds([begun, secondAttempt])).toEqual([])
})

test('an operation with an earlier attempt that may have called its provider is ended despite a living owner', async () => {
  const secondAttempt: Head = { ...freshHead, attempt: 2, owner, executor: living }
  expect(await listEndedIds([secondAttempt])).toEqual([0])
})

test('an operation that is begun and given back meanwhile is checked again', async () => {
  const before: Head = { ...freshHead, attempt: 1 }
  const after: Head = { ...freshHead, attempt: 2, givenBack: 1 }
  const selections: number[] = []
  let reads = 0
  const operations = {
    getHeads: async () => {
      reads += 1
      return new Map([[7 as OperationId, reads === 1 ? before : after]])
    },
    getOutcome: async () => undefined,
    select: async (_deployment: DeploymentId, _id: OperationId, end: { attempt: number }) => {
      selections.push(end.attempt)
      return end.attempt === 2
    },
  } as unknown as OperationsPort
  const ports = { operations, goneExecutors: new Set<ExecutorId>() }
  await endAbandonedOperations(ports, 'd' as DeploymentId, [7 as OperationId])
  expect(selections).toEqual([1, 2])
})

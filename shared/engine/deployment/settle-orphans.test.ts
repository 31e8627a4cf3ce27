import { expect, test } from 'vitest'
import type { OperationsPort } from '../../ports/records.ts'
import { freshHead, type Head } from '../../records/head.ts'
import type { DeploymentId, ExecutorId, OperationId, OwnerToken } from '../../records/ids.ts'
import { settleOrphans } from './settle-orphans.ts'

const dead = 'dead' as ExecutorId
const living = 'living' as ExecutorId
const owner = 'token' as OwnerToken

/** The operations that are ended when heads stand so. */
async function ended(heads: readonly Head[]): Promise<readonly OperationId[]> {
  const selected: OperationId[] = []
  const operations = {
    heads: async () => new Map(heads.map((head, at) => [at as OperationId, head])),
    outcome: async () => undefined,
    select: async (_deployment: DeploymentId, id: OperationId) => {
      selected.push(id)
      return true
    },
  } as unknown as OperationsPort
  const ids = heads.map((_head, at) => at as OperationId)
  await settleOrphans({ operations, gone: new Set([dead]) }, 'd' as DeploymentId, ids)
  return selected
}

test('what nobody can have called keeps its head', async () => {
  const given: Head = { ...freshHead, attempt: 2, givenBack: 2 }
  expect(await ended([freshHead, given])).toEqual([])
})

test('what was begun by who is gone, or has lost its owner, is ended', async () => {
  const begun: Head = { ...freshHead, attempt: 1, owner, executor: dead }
  const lapsed: Head = { ...freshHead, attempt: 1 }
  expect(await ended([begun, lapsed])).toEqual([0, 1])
})

test('a living owner that began after the stop is left to give it back', async () => {
  const begun: Head = { ...freshHead, attempt: 1, owner, executor: living }
  const again: Head = { ...begun, attempt: 2, givenBack: 1 }
  expect(await ended([begun, again])).toEqual([])
})

test('what an earlier attempt may have called is ended under a living owner too', async () => {
  const again: Head = { ...freshHead, attempt: 2, owner, executor: living }
  expect(await ended([again])).toEqual([0])
})

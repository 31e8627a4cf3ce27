import { describe, expect, test } from 'vitest'
import { limits } from '../../shared/config/limits.ts'
import type { RecordPorts } from '../../shared/platform/aws/records.ts'
import { deploymentIdOf, stackIdOf } from '../../shared/records/ids.ts'
import {
  toEpochMs,
  toExecutorId,
  createDeploymentId,
  contractHolder,
  toLogNumber,
  toOperationId,
  toOwnerToken,
  toWriterToken,
} from '../contract/open-adapter.ts'
import { itemBytesOf } from '../../shared/platform/aws/dynamo/table/item-size.ts'
import { createModelDynamo } from '../sim/model-dynamo.ts'
import { createTables, createTableNames, createTestRecords } from './test-records.ts'

const one = toOperationId(1)
const owner = toOwnerToken('6f1f8a52-93a5-4f0e-8f59-2c1d2f6f3b11')
const executor = toExecutorId('0b1b8c5e-7a55-4c1c-9d28-51a6f2a0e2a7')
const beginRequest = { owner, executor, expectedAttempt: 0, needs: 0 }
const record = { writer: toWriterToken('w'), at: toEpochMs(1), decisions: [] }

async function open() {
  let operationNames: string[] = []
  const model = createModelDynamo(({ operation }) => operationNames.push(operation))
  const names = createTableNames()
  await createTables(model.client, names)
  /** Returns the names of the requests of a call. */
  const listRequests = async (call: () => Promise<unknown>): Promise<readonly string[]> => {
    operationNames = []
    await call()
    return operationNames
  }
  const createPorts = (): RecordPorts => createTestRecords(model.client, names)
  return {
    listRequests,
    createPorts,
    ports: createPorts(),
    listItems: () => model.tables.listItems(names.journal),
  }
}

describe('requests of one call', () => {
  test('each head write after the first one is one update, and an outcome is one put', async () => {
    const { listRequests, ports } = await open()
    const { operations } = ports
    const deployment = createDeploymentId()
    const first = await listRequests(() => operations.arrive(deployment, one, toOperationId(9)))
    expect(first).toEqual(['GetItem', 'PutItem', 'UpdateItem'])
    const update = ['UpdateItem']
    expect(await listRequests(() => operations.arrive(deployment, one, toOperationId(8)))).toEqual(
      update,
    )
    expect(await listRequests(() => operations.begin(deployment, one, beginRequest))).toEqual(
      update,
    )
    const giveBack = () => operations.giveBack(deployment, one, owner, 1)
    expect(await listRequests(giveBack)).toEqual(update)
    expect(await listRequests(giveBack)).toEqual(update)
    expect(await listRequests(() => operations.begin(deployment, one, beginRequest))).toEqual(
      update,
    )
    expect(
      await listRequests(() =>
        operations.begin(deployment, one, { ...beginRequest, expectedAttempt: 1 }),
      ),
    ).toEqual(update)
    const times = { startedAt: toEpochMs(1), endedAt: toEpochMs(2) }
    const outcome = { operation: one, attempt: 2, verdict: 'succeeded', ...times } as const
    expect(await listRequests(() => operations.putOutcome(deployment, outcome))).toEqual([
      'PutItem',
    ])
    const end = { owner, attempt: 2, verdict: 'succeeded' } as const
    expect(await listRequests(() => operations.select(deployment, one, end))).toEqual(update)
  })

  test('an append is one put, and a writer without the previous record reads it first', async () => {
    const { listRequests, ports, createPorts } = await open()
    const deployment = createDeploymentId()
    const append = (records: RecordPorts, number: number) => () =>
      records.decisionLog.append(deployment, { ...record, number: toLogNumber(number) })
    expect(await listRequests(append(ports, 0))).toEqual(['PutItem'])
    expect(await listRequests(append(ports, 1))).toEqual(['PutItem'])
    const laterWriter = createPorts()
    expect(await listRequests(append(laterWriter, 2))).toEqual(['GetItem', 'PutItem'])
    expect(await listRequests(append(laterWriter, 3))).toEqual(['PutItem'])
    expect(await listRequests(append(createPorts(), 9))).toEqual(['GetItem'])
    const reader = createPorts()
    await reader.decisionLog.read(deployment, toLogNumber(0), 100)
    expect(await listRequests(append(reader, 4))).toEqual(['PutItem'])
  })

  test('500 heads are five reads, and a renewal is one update', async () => {
    const { listRequests, ports } = await open()
    const deployment = createDeploymentId()
    const ids = Array.from({ length: limits.idsPerReadMax }, (_, index) => toOperationId(index + 1))
    const heads = await listRequests(() => ports.operations.getHeads(deployment, ids))
    expect(heads).toEqual(Array.from({ length: 5 }, () => 'BatchGetItem'))
    await ports.leases.register(deployment, executor, contractHolder)
    expect(await listRequests(() => ports.leases.renew(deployment, executor, []))).toEqual([
      'UpdateItem',
    ])
    expect(await listRequests(() => ports.control.read(deployment))).toEqual(['GetItem'])
  })
})

test('a head is below a kilobyte, even with a long name, all arrivals and five deliveries', async () => {
  const { ports, listItems } = await open()
  const { operations } = ports
  const stack = stackIdOf('p'.repeat(100), 's'.repeat(100))
  const deployment = deploymentIdOf(stack, 12_345)
  const id = toOperationId(1_234_567)
  for (let from = 0; from < limits.edgesPerOperationMax; from += 1)
    await operations.arrive(deployment, id, toOperationId(1_200_000 + from))
  for (let attempt = 0; attempt < limits.deliveriesMax; attempt += 1) {
    await operations.begin(deployment, id, {
      ...beginRequest,
      expectedAttempt: attempt,
      needs: limits.edgesPerOperationMax,
    })
    if (attempt + 1 < limits.deliveriesMax)
      await operations.lapse(deployment, id, owner, attempt + 1)
  }
  const end = { owner, attempt: limits.deliveriesMax, verdict: 'interrupted' } as const
  expect(await operations.select(deployment, id, end)).toBe(true)
  const head = listItems().find(item => item['sk']?.S === 'head')
  expect(itemBytesOf(head ?? {})).toBeLessThan(1024)
  // A missing head would have no bytes.
  expect(itemBytesOf(head ?? {})).toBeGreaterThan(400)
})

/**
 * The API removes a stack, but not its records in the journal. Compaction removes them later, and
 * finds the stack by its entry in the list of stacks. Without the entry, the records would remain
 * forever. A stack that was created again would be missing in lists.
 */
import { expect, test } from 'vitest'
import { createModelDynamo } from '../sim/model-dynamo.ts'
import type { LateOutcome } from '../../shared/records/late-outcome.ts'
import type { Urn } from '../../shared/names/urn.ts'
import type { EpochMs, OperationId, StackId } from '../../shared/records/ids.ts'
import { createStackId } from '../contract/open-adapter.ts'
import { createTables, createTableNames, createTestRecords } from './test-records.ts'

/** Creates a stack with leftovers, and removes it. */
async function openRemovedStack() {
  const { client, tables } = createModelDynamo()
  const names = createTableNames()
  await createTables(client, names)
  const { catalog, retention } = createTestRecords(client, names)
  const id = createStackId()
  await catalog.createStack(id, 1 as EpochMs)
  await deployWithLeftovers(catalog, id)
  await catalog.removeStack(id)
  const listJournal = (): readonly string[] =>
    tables.listItems(names.journal).map(item => String(item['pk']?.S))
  return { catalog, retention, id, listJournal }
}

type Catalog = ReturnType<typeof createTestRecords>['catalog']

/**
 * Runs a deployment that leaves a late outcome and the duration of a slow operation. Returns the
 * late outcome.
 */
async function deployWithLeftovers(catalog: Catalog, id: StackId): Promise<LateOutcome> {
  const launch = { command: 'up', message: '', at: 1 as EpochMs } as const
  const { deployment } = await catalog.start(id, launch)
  const late: LateOutcome = {
    deployment,
    operation: 7 as OperationId,
    attempt: 1,
    urn: 'urn:pulumi:dev::p::t:m:T::x' as Urn,
    state: { urn: 'u', custom: true, type: 't:m:T', id: 'made' },
  }
  await catalog.putLateOutcome(id, late)
  await catalog.recordSlowOperation(id, 'create t:m:T', 5)
  const end = { at: 2 as EpochMs, result: 'succeeded', changes: {}, version: 0 } as const
  await catalog.release(deployment, end)
  return late
}

test('compaction removes the inbox and the durations of a removed stack, and may repeat the removal', async () => {
  const { catalog, retention, id, listJournal } = await openRemovedStack()
  expect(listJournal()).toEqual(expect.arrayContaining([`late ${id}`, `slow ${id}`]))
  await retention.removeLeftovers()
  await retention.removeLeftovers()
  expect(listJournal()).toEqual([])
  expect((await catalog.listStacks()).stacks).toEqual([])
})

test('a stack that was created again keeps its records and its entry in the list', async () => {
  const { catalog, retention, id } = await openRemovedStack()
  await catalog.createStack(id, 3 as EpochMs)
  const late = await deployWithLeftovers(catalog, id)
  await retention.removeLeftovers()
  expect(await catalog.listLateOutcomes(id, 10)).toEqual([late])
  expect([...(await catalog.listSlowOperations(id)).keys()]).toEqual(['create t:m:T'])
  expect((await catalog.listStacks()).stacks.map(stack => stack.id)).toEqual([id])
})

test('a stack that is created again during the removal stays in the list', async () => {
  const { client } = createModelDynamo()
  const names = createTableNames()
  await createTables(client, names)
  const { catalog } = createTestRecords(client, names)
  const id = createStackId()
  await catalog.createStack(id, 1 as EpochMs)
  await catalog.removeStack(id)
  const send = async (command: Parameters<typeof client.send>[0]) => {
    if (command.constructor.name === 'TransactWriteItemsCommand')
      await catalog.createStack(id, 3 as EpochMs)
    return client.send(command)
  }
  const { retention } = createTestRecords({ send }, names)
  await retention.removeLeftovers()
  expect((await catalog.listStacks()).stacks.map(stack => stack.id)).toEqual([id])
})

test('a late outcome of a stack that takes the id during the removal is kept', async () => {
  const { client } = createModelDynamo()
  const names = createTableNames()
  await createTables(client, names)
  const { catalog } = createTestRecords(client, names)
  const id = createStackId()
  await catalog.createStack(id, 1 as EpochMs)
  await deployWithLeftovers(catalog, id)
  await catalog.removeStack(id)
  let late: LateOutcome | undefined
  const send = async (command: Parameters<typeof client.send>[0]) => {
    const result = await client.send(command)
    // The stack appears between the first two reads of the removal.
    if (late === undefined && JSON.stringify(command.input).includes(id)) {
      await catalog.createStack(id, 3 as EpochMs)
      late = await deployWithLeftovers(catalog, id)
    }
    return result
  }
  const { retention } = createTestRecords({ send }, names)
  await retention.removeLeftovers()
  expect(late).toBeDefined()
  expect(await catalog.listLateOutcomes(id, 10)).toEqual([late])
})

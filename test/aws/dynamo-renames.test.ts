/** Renames of stacks in DynamoDB: the names at the external scheduler, and interruptions. */
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { dynamoLimits } from '../../shared/config/dynamo-limits.ts'
import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import type { RecordPorts } from '../../shared/platform/aws/records.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import type { StackId } from '../../shared/records/ids.ts'
import { createLateOutcomeFactory } from '../contract/catalog.ts'
import { createStackId, toBlobHash, toEpochMs } from '../contract/open-adapter.ts'
import { createModelDynamo, type ModelDynamo } from '../sim/model-dynamo.ts'
import { createDeployedStack } from './deployed-stack.ts'
import { createTables, createTableNames, createTestRecords } from './test-records.ts'

type Client = ModelDynamo['client']

const at = toEpochMs(9)
const input = { expectedVersion: 1, snapshot: toBlobHash('b'), program: '', at } as const

/**
 * Opens records over a model. `openFailing` opens them with a client whose request number `failsAt`
 * and all later requests fail.
 */
async function open() {
  const model = createModelDynamo()
  const names = createTableNames()
  await createTables(model.client, names)
  const openFailing = (failsAt: number): RecordPorts & { readonly sent: () => number } => {
    let sent = 0
    const send = async (...args: Parameters<Client['send']>): Promise<unknown> => {
      sent += 1
      if (sent >= failsAt) throw new Error('the process died')
      return model.client.send(...args)
    }
    const records = createTestRecords({ send: send as Client['send'] }, names)
    return { ...records, sent: () => sent }
  }
  /** Opens records that call `hook` before the transaction with which a rename moves its stack. */
  const openHooked = (hook: () => Promise<void>): RecordPorts => {
    // The first transaction of a rename reserves the new id, and the second one moves the stack.
    let transactions = 0
    const send = async (...args: Parameters<Client['send']>): Promise<unknown> => {
      if (args[0] instanceof TransactWriteItemsCommand && (transactions += 1) === 2) await hook()
      return model.client.send(...args)
    }
    return createTestRecords({ send: send as Client['send'] }, names)
  }
  const listPartitions = (): readonly string[] =>
    [names.journal, names.catalog].flatMap(name =>
      model.tables.listItems(name).map(item => String(item['pk']?.S)),
    )
  const listStacks = (): readonly string[] =>
    model.tables
      .listItems(names.catalog)
      .filter(item => item['pk']?.S === 'stacks')
      .map(item => String(item['sk']?.S))
  const clock = createSystemClock()
  /** Ports of a process whose clock is ahead by more than the longest rename. */
  const later = createTestRecords(model.client, names, {
    ...clock,
    now: () => toEpochMs(clock.now() + dynamoLimits.renameLimitMs + 1),
  })
  const ports = createTestRecords(model.client, names)
  return { openFailing, openHooked, ports, later, listPartitions, listStacks }
}

/** The partitions of the records that a rename copies. */
const copiedPartitionsOf = (id: StackId): readonly string[] => [
  `history ${id}`,
  `versions ${id}`,
  `late ${id}`,
  `slow ${id}`,
]

test('schedules get their new names at the scheduler, and one without a new name stops the rename', async () => {
  const { ports } = await open()
  const { renames, documents, catalog } = ports
  const [id, to] = [await createDeployedStack(ports), createStackId()]
  const key = { kind: 'schedule', scope: id, name: 'nightly' } as const
  await documents.put(key, { when: 'x', placed: 'old' }, 0)
  await documents.put({ ...key, name: 'paused' }, { isPaused: true, placed: 'old' }, 0)
  expect(await renames.rename(id, to, input)).toBe('conflict')
  expect(await catalog.getStack(id)).toMatchObject({ version: 1 })
  const placements = { nightly: 'new' }
  expect(await renames.rename(id, to, { ...input, placements })).toBe('renamed')
  expect((await documents.get({ ...key, scope: to }))?.value).toEqual({ when: 'x', placed: 'new' })
  expect(await documents.get(key)).toBeUndefined()
})

test('a document moves to the new id even if many removed ones precede it', async () => {
  const { ports } = await open()
  const { renames, documents } = ports
  const [id, to] = [await createDeployedStack(ports), createStackId()]
  const keyOf = (name: string) => ({ kind: 'notification', scope: id, name }) as const
  for (let index = 0; index < triggerLimits.documentsPerPage; index += 1) {
    await documents.put(keyOf(`a${index}`), {}, 0)
    await documents.remove(keyOf(`a${index}`), 1)
  }
  await documents.put(keyOf('last'), { a: 1 }, 0)
  expect(await renames.rename(id, to, input)).toBe('renamed')
  expect((await documents.get({ ...keyOf('last'), scope: to }))?.value).toEqual({ a: 1 })
})

test('a rename copies and removes more records than one transaction has', async () => {
  const { ports, listPartitions } = await open()
  const { renames, catalog } = ports
  const [id, to] = [await createDeployedStack(ports), createStackId()]
  for (let version = 1; version < 120; version += 1)
    await catalog.publish(id, version, toBlobHash('a'))
  const message = 'm'.repeat(300_000)
  for (let count = 0; count < 20; count += 1) {
    const { deployment } = await catalog.start(id, { command: 'up', message, at })
    await catalog.release(deployment, { at, result: 'succeeded', changes: {}, version: 120 })
  }
  expect(await renames.rename(id, to, { ...input, expectedVersion: 120 })).toBe('renamed')
  expect(await catalog.listVersions(to, 200)).toHaveLength(121)
  expect(await catalog.listHistory(to, 200)).toHaveLength(22)
  expect(listPartitions().filter(pk => copiedPartitionsOf(id).includes(pk))).toEqual([])
})

test('after a death of the process at any request, the stack has one name and all of its contents', async () => {
  const { openFailing, ports, later, listPartitions, listStacks } = await open()
  const names = new Set<string>()
  for (let failsAt = 1; ; failsAt += 1) {
    const [id, to] = [await createDeployedStack(ports), createStackId()]
    const key = { kind: 'notification', scope: id, name: 'ops' } as const
    await ports.documents.put(key, { a: 1 }, 0)
    await ports.catalog.recordSlowOperation(id, 'create t:m:T', 5)
    const failing = openFailing(failsAt)
    const isDone = await failing.renames.rename(id, to, input).then(
      result => result === 'renamed',
      () => false,
    )
    const { catalog, documents } = ports
    const [before, after] = [await catalog.getStack(id), await catalog.getStack(to)]
    expect([before === undefined, after === undefined]).toContain(true)
    const stack = before?.id ?? after?.id
    if (stack === undefined) throw new Error('the stack is lost')
    names.add(stack === id ? 'old' : 'new')
    await ports.retention.removeLeftovers()
    if (stack === to) expect(listPartitions()).not.toContain(`slow ${id}`)
    else {
      await later.retention.removeLeftovers()
      const partitions = listPartitions()
      expect(partitions.filter(pk => copiedPartitionsOf(to).includes(pk))).toEqual([])
      expect(listStacks()).not.toContain(to)
    }
    expect((await catalog.listHistory(stack, 10)).at(-1)).toMatchObject({ command: 'up' })
    expect((await catalog.listVersions(stack, 10)).at(-1)).toMatchObject({ version: 1 })
    expect((await documents.get({ ...key, scope: stack }))?.value).toEqual({ a: 1 })
    // The other name is free, and a stack with it is empty.
    const other = stack === id ? to : id
    expect(await catalog.createStack(other, at)).toBe(true)
    expect(await catalog.listHistory(other, 10)).toEqual([])
    expect(await catalog.listVersions(other, 10)).toEqual([])
    expect((await documents.list('notification', '', other)).documents).toEqual([])
    if (isDone) return expect([...names]).toEqual(['old', 'new'])
  }
})

test('compaction keeps the copies of a running rename, and the rename completes', async () => {
  const { ports, openHooked } = await open()
  const [id, to] = [await createDeployedStack(ports), createStackId()]
  await ports.catalog.recordSlowOperation(id, 'create t:m:T', 5)
  const hooked = openHooked(() => ports.retention.removeLeftovers())
  expect(await hooked.renames.rename(id, to, input)).toBe('renamed')
  expect(await ports.catalog.listVersions(to, 10)).toHaveLength(2)
  expect([...(await ports.catalog.listSlowOperations(to))]).toEqual([['create t:m:T', 5]])
})

test('an outcome of a removed stack that arrives after a rename to its id is not listed', async () => {
  const { ports } = await open()
  const [id, to] = [await createDeployedStack(ports), await createDeployedStack(ports)]
  await ports.catalog.removeStack(to)
  expect(await ports.renames.rename(id, to, input)).toBe('renamed')
  await ports.catalog.putLateOutcome(to, createLateOutcomeFactory(to)(1))
  expect(await ports.catalog.listLateOutcomes(to, 10)).toEqual([])
})

test('compaction keeps outcomes of a running rename whose numbers a removed stack has used', async () => {
  const { openHooked, ports } = await open()
  const [id, to] = [await createDeployedStack(ports), await createDeployedStack(ports)]
  const outcome = createLateOutcomeFactory(id)(1)
  await ports.catalog.putLateOutcome(id, outcome)
  await ports.catalog.removeStack(to)
  const { renames } = openHooked(ports.retention.removeLeftovers)
  expect(await renames.rename(id, to, input)).toBe('renamed')
  expect(await ports.catalog.listLateOutcomes(to, 10)).toEqual([outcome])
})

test('a rename that continues after compaction removed its copies is refused', async () => {
  const { ports, later, openHooked, listPartitions } = await open()
  const [id, to] = [await createDeployedStack(ports), createStackId()]
  const hooked = openHooked(() => later.retention.removeLeftovers())
  expect(await hooked.renames.rename(id, to, input)).toBe('conflict')
  expect(await ports.catalog.listVersions(id, 10)).toHaveLength(1)
  expect(listPartitions().filter(pk => copiedPartitionsOf(to).includes(pk))).toEqual([])
})

test('a refused rename removes its copies, and keeps what a new stack with the id wrote', async () => {
  const { ports, later, openHooked, listPartitions, listStacks } = await open()
  const [id, to, other] = [await createDeployedStack(ports), createStackId(), createStackId()]
  const start = { command: 'up', message: '', at: toEpochMs(5) } as const
  const startingPorts = openHooked(async () => void (await ports.catalog.start(id, start)))
  expect(await startingPorts.renames.rename(id, to, input)).toBe('conflict')
  expect(listPartitions().filter(pk => copiedPartitionsOf(to).includes(pk))).toEqual([])
  await later.retention.removeLeftovers()
  expect(listStacks()).not.toContain(to)
  const source = await createDeployedStack(ports)
  const creatingPorts = openHooked(async () => {
    await ports.catalog.createStack(other, toEpochMs(6))
    const { deployment } = await ports.catalog.start(other, start)
    await ports.catalog.publish(other, 0, toBlobHash('c'))
    const end = { at: toEpochMs(7), result: 'succeeded', changes: {}, version: 1 } as const
    await ports.catalog.release(deployment, end)
  })
  expect(await creatingPorts.renames.rename(source, other, input)).toBe('conflict')
  await later.retention.removeLeftovers()
  expect(await ports.catalog.listVersions(other, 10)).toEqual([
    { version: 1, snapshot: toBlobHash('c') },
  ])
  expect(await ports.catalog.listHistory(other, 10)).toHaveLength(1)
  expect(listStacks()).toContain(other)
})

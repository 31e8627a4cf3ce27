import { expect, test } from 'vitest'
import { createJournalHints } from '../../shared/platform/aws/dynamo/hints.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import { createSystemRandom } from '../../shared/platform/system/random.ts'
import { dynamoLimits } from '../../shared/config/dynamo-limits.ts'
import type { EpochMs, OperationId } from '../../shared/records/ids.ts'
import { defineHintsContract } from '../contract/nudges.ts'
import { createDeploymentId, toOperationId } from '../contract/open-adapter.ts'
import { createModelDynamo } from '../sim/model-dynamo.ts'
import { createTables, createTableNames } from './test-records.ts'

/** Opens a table for the hints of several processes. `items` returns the items in it. */
async function createProcesses() {
  const model = createModelDynamo()
  const names = createTableNames()
  await createTables(model.client, names)
  const clock = createSystemClock()
  const random = createSystemRandom()
  const journalTable = {
    client: model.client,
    clock,
    random,
    region: 'eu-test-1',
    name: names.journal,
  }
  const open = () => createJournalHints({ journalTable, clock, random, logger: silentLogger })
  return { open, items: () => model.tables.listItems(names.journal) }
}

defineHintsContract('the journal', async () => {
  const { open } = await createProcesses()
  return { ports: { hints: open() }, close: async () => undefined }
})

test('a hint reaches the listeners of another process once, and concurrent hints share one item', async () => {
  const { open, items } = await createProcesses()
  const [here, there] = [open(), open()]
  const deployment = createDeploymentId()
  const received: OperationId[] = []
  const allReceived = Promise.withResolvers<void>()
  const stopListening = there.listen(deployment, operation => {
    received.push(operation)
    if (received.length === 3) allReceived.resolve()
  })
  for (const id of [1, 2, 3]) here.hint(deployment, toOperationId(id))
  await allReceived.promise
  // The listener polls every second. A later poll must not report an operation again.
  await createSystemClock().sleep(2_500)
  stopListening()
  expect(new Set(received)).toEqual(new Set([1, 2, 3]))
  expect(received).toHaveLength(3)
  expect(items()).toHaveLength(1)
}, 10_000)

test('1,000 executors that hint all the time stay below the write limit of each partition', async () => {
  const writesPerSecondMax = 1_000
  const model = createModelDynamo()
  const names = createTableNames()
  await createTables(model.client, names)
  const random = createSystemRandom()
  let nowMs = 1_000_000
  const pendingSleeps: (() => void)[] = []
  const clock = {
    ...createSystemClock(),
    now: () => nowMs as EpochMs,
    sleep: () => new Promise<void>(resolve => void pendingSleeps.push(resolve)),
  }
  const client = model.client
  const journalTable = { client, clock, random, region: 'eu-test-1', name: names.journal }
  const deployment = createDeploymentId()
  const executors = Array.from({ length: 1_000 }, () =>
    createJournalHints({ journalTable, clock, random, logger: silentLogger }),
  )
  for (let elapsedMs = 0; elapsedMs < 1_000; elapsedMs += dynamoLimits.hintBatchMs) {
    for (const [index, hints] of executors.entries()) hints.hint(deployment, toOperationId(index))
    nowMs += dynamoLimits.hintBatchMs
    for (const wake of pendingSleeps.splice(0)) wake()
    await new Promise(resolve => setImmediate(resolve))
  }
  const writes = Map.groupBy(model.tables.listItems(names.journal), item => item['pk']?.S)
  expect(writes.size).toBe(dynamoLimits.hintShards)
  const counts = [...writes.values()].map(items => items.length)
  // Each executor writes one item per batch of 200 ms (`hintBatchMs`).
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(5_000)
  expect(Math.max(...counts)).toBeLessThan(writesPerSecondMax)
}, 30_000)

test('a listener of a partition with more hints than one page reads all of them, each once', async () => {
  const model = createModelDynamo()
  const names = createTableNames()
  await createTables(model.client, names)
  let nowMs = 1_000_000
  let poll: () => void = () => undefined
  const clock = {
    ...createSystemClock(),
    now: () => nowMs as EpochMs,
    sleep: async () => undefined,
    repeat: (_intervalMs: number, run: () => void) => {
      poll = run
      return () => undefined
    },
  }
  const random = createSystemRandom()
  const { client } = model
  const journalTable = { client, clock, random, region: 'eu-test-1', name: names.journal }
  const open = () => createJournalHints({ journalTable, clock, random, logger: silentLogger })
  const deployment = createDeploymentId()
  const received: OperationId[] = []
  const stopListening = open().listen(deployment, operation => void received.push(operation))
  const count = dynamoLimits.hintShards * dynamoLimits.hintsPerReadMax * 2
  const senders = Array.from({ length: 200 }, open)
  for (let operation = 1; operation <= count; operation += 1) {
    senders[operation % senders.length]?.hint(deployment, toOperationId(operation))
    if (operation % senders.length === 0) await new Promise(resolve => setImmediate(resolve))
  }
  await new Promise(resolve => setTimeout(resolve, 200))
  expect(model.tables.listItems(names.journal).length).toBeGreaterThan(
    dynamoLimits.hintShards * dynamoLimits.hintsPerReadMax,
  )
  nowMs += 1_000
  for (let round = 0; round < 2; round += 1) {
    poll()
    await new Promise(resolve => setTimeout(resolve, 500))
  }
  stopListening()
  expect(new Set(received).size).toBe(count)
  expect(received).toHaveLength(count)
}, 60_000)

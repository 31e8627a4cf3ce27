import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { dynamoLimits } from '../../shared/config/dynamo-limits.ts'
import { createAudit } from '../../shared/platform/aws/dynamo/audit.ts'
import type { AuditEntry } from '../../shared/ports/audit.ts'
import { toEpochMs } from '../contract/open-adapter.ts'
import { createModelDynamo } from '../sim/model-dynamo.ts'
import { createTables, createTableNames } from './test-records.ts'

const dayMs = 86_400_000
const startMs = Date.UTC(2026, 10, 22)

/**
 * Opens an audit log over a model, with a clock that the test moves. `fixedBytes` are the first
 * random bytes, which choose partitions and positions.
 */
async function open(fixedBytes: readonly number[] = []) {
  const operationNames: string[] = []
  const model = createModelDynamo(({ operation }) => operationNames.push(operation))
  const names = createTableNames()
  await createTables(model.client, names)
  const now = { ms: startMs }
  let count = 0
  const bytes = (length: number): Uint8Array => {
    const fixedByte = fixedBytes[count]
    count += 1
    return fixedByte === undefined
      ? new Uint8Array(randomBytes(length))
      : new Uint8Array(length).fill(fixedByte)
  }
  const uuid = (): string => `${count++}`
  const clock = { now: () => toEpochMs(now.ms), sleep: async () => undefined }
  const region = 'eu-test-1'
  const catalogTable = {
    client: model.client,
    clock,
    region,
    name: names.catalog,
    random: { bytes, uuid },
  }
  const audit = () => createAudit({ catalogTable, random: { bytes, uuid } })
  return { audit, now, operationNames, items: () => model.tables.listItems(names.catalog) }
}

const createEntry = (id: string): AuditEntry => ({
  id,
  at: toEpochMs(startMs),
  who: 'ci',
  from: '192.0.2.1',
  what: 'POST /v1/stacks',
  kind: 'asked',
  request: id,
})

test('pages continue over days, also over days without changes', async () => {
  const { audit, now } = await open()
  const log = audit()
  const ids: string[] = []
  for (let day = 0; day < 12; day += 3)
    for (let index = 0; index < 5; index += 1) {
      now.ms = startMs + day * dayMs + index * 1_000
      ids.push(`${day}-${index}`)
      await log.append(createEntry(`${day}-${index}`))
    }
  const read: string[] = []
  for (let before = 0; ; ) {
    const page = await log.read(before, 3)
    read.push(...page.map(({ id }) => id))
    if (page.length < 3) break
    before = page.at(-1)?.position ?? 0
  }
  expect(read).toEqual(ids.toReversed())
})

test('entries of the same time keep the order of their appends, and are spread over all partitions', async () => {
  const { audit, items } = await open()
  const log = audit()
  const ids = Array.from({ length: 40 }, (_, index) => `e${index}`)
  for (const id of ids) await log.append(createEntry(id))
  expect((await log.read(0, 100)).map(({ id }) => id)).toEqual(ids.toReversed())
  const partitions = new Set(
    items().flatMap(item => (item['entry'] === undefined ? [] : [item['pk']?.S])),
  )
  expect(partitions.size).toBe(dynamoLimits.auditShards)
})

test('two processes that draw the same position both record their entries', async () => {
  const { audit } = await open(Array.from({ length: 8 }, () => 5))
  await audit().append(createEntry('one'))
  await audit().append(createEntry('two'))
  const read = await audit().read(0, 10)
  expect(read.map(({ id }) => id).toSorted()).toEqual(['one', 'two'])
})

test('an entry expires with the marks of its id and its day, and is not read afterwards', async () => {
  const { audit, now, items } = await open()
  await audit().append(createEntry('old'))
  const expires = items().map(item => Number(item['expires']?.N ?? 0))
  expect(expires).toHaveLength(3)
  for (const seconds of expires)
    expect(seconds * 1_000).toBeGreaterThanOrEqual(startMs + dynamoLimits.auditRetentionMs)
  now.ms = startMs + dynamoLimits.auditRetentionMs + 2 * dayMs
  await audit().append(createEntry('new'))
  expect((await audit().read(0, 10)).map(({ id }) => id)).toEqual(['new'])
})

test('an append is one transaction, and a read queries only the used days', async () => {
  const { audit, operationNames } = await open()
  const log = audit()
  await log.append(createEntry('first'))
  operationNames.length = 0
  await log.append(createEntry('second'))
  expect(operationNames).toEqual(['TransactWriteItems'])
  operationNames.length = 0
  await log.read(0, 10)
  expect(operationNames).toEqual(
    Array.from({ length: 1 + dynamoLimits.auditShards }, () => 'Query'),
  )
})

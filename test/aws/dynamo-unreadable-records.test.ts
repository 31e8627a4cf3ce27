import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import type { DocumentKey } from '../../shared/ports/documents.ts'
import { type DeploymentId, deploymentPartsOf } from '../../shared/records/ids.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import {
  defineUnreadableRecordsContract,
  type StoredKind,
  type TamperablePlatform,
  type Tampering,
} from '../contract/unreadable-records.ts'
import { createModelDynamo, type ModelDynamo } from '../sim/model-dynamo.ts'
import type { ModelItem } from '../sim/model-expressions.ts'
import { createTables, createTableNames, createTestRecords } from './test-records.ts'

/** The prefixes of the partition and sort keys of each kind. */
const keyPrefixes: Readonly<Record<StoredKind, readonly [pk: string, sk: string]>> = {
  log: ['log', ''],
  head: ['operation', 'head'],
  outcome: ['operation', 'outcome'],
  control: ['control', ''],
  lease: ['leases', ''],
  event: ['events', ''],
  stack: ['stack', ''],
  history: ['history', ''],
  snapshot: ['versions', ''],
  late: ['late', ''],
  request: ['requests', ''],
}

/** The kinds of records that belong to a stack. The others belong to a deployment. */
const stackKinds: ReadonlySet<StoredKind> = new Set([
  'stack',
  'history',
  'snapshot',
  'late',
  'request',
])

const truncatedText: AttributeValue = { S: '{"cut' }

/** The attribute of each kind that a test damages, and its damaged value. */
const damageByKind: Readonly<Partial<Record<StoredKind, readonly [string, AttributeValue]>>> = {
  log: ['record', truncatedText],
  head: ['arrived', truncatedText],
  outcome: ['record', truncatedText],
  control: ['holder', truncatedText],
  lease: ['holder', truncatedText],
  history: ['begun', truncatedText],
  event: ['lines', { B: new Uint8Array([1, 2, 3]) }],
  stack: ['snapshot', truncatedText],
  snapshot: ['blob', truncatedText],
  late: ['item', truncatedText],
  request: ['request', truncatedText],
}

function createTampering({ tables }: ModelDynamo, names: readonly string[]): Tampering {
  const itemsOf = (kind: StoredKind, deployment: DeploymentId) => {
    const [pk, sk] = keyPrefixes[kind]
    const owningId = stackKinds.has(kind) ? deploymentPartsOf(deployment).stack : deployment
    return names.flatMap(table =>
      tables
        .listItems(table)
        .filter(item => `${item['pk']?.S} `.startsWith(`${pk} ${owningId} `))
        .filter(item => item['sk']?.S?.startsWith(sk) === true)
        .map(item => ({ table, item })),
    )
  }
  const replaceAttributes = (
    kind: StoredKind,
    deployment: DeploymentId,
    attributes: ModelItem,
  ): void => {
    for (const { table, item } of itemsOf(kind, deployment))
      tables.put(table, item, { ...item, ...attributes })
  }
  return {
    markNewer: (kind, deployment) => replaceAttributes(kind, deployment, { format: { N: '2' } }),
    damage(kind, deployment) {
      const [name, value] = damageByKind[kind] ?? []
      if (name === undefined || value === undefined) return false
      replaceAttributes(kind, deployment, { [name]: value })
      return true
    },
    kindsWithoutDamage: [],
    // No condition can inspect a text. So writes of these kinds do not detect a damaged text.
    kindsWithUncheckedWrites: ['control', 'lease', 'history'],
    removeLogRecord(deployment, number) {
      for (const { table, item } of itemsOf('log', deployment))
        if (Number(item['sk']?.S) === number) tables.put(table, item, undefined)
    },
    readRaw: (kind, deployment) => structuredClone(itemsOf(kind, deployment)),
  }
}

const openTampered = async (): Promise<TamperablePlatform> => {
  const model = createModelDynamo()
  const names = createTableNames()
  await createTables(model.client, names)
  const ports = createTestRecords(model.client, names) as unknown as Platform
  const tampering = createTampering(model, [names.journal, names.catalog])
  return { ports, close: async () => undefined, tampering }
}

defineUnreadableRecordsContract('model of DynamoDB', openTampered)

test('a list of documents names one that is damaged or of a newer format, and hides no other', async () => {
  const model = createModelDynamo()
  const names = createTableNames()
  await createTables(model.client, names)
  const { documents } = createTestRecords(model.client, names)
  const keyOf = (name: string): DocumentKey => ({ kind: 'schedule', scope: '*', name })
  for (const name of ['damaged', 'good', 'newer']) await documents.put(keyOf(name), { name }, 0)
  for (const item of model.tables.listItems(names.catalog)) {
    if (item['sk']?.S === '* damaged')
      model.tables.put(names.catalog, item, { ...item, value: truncatedText })
    const newer = { ...item, format: { N: '2' } }
    if (item['sk']?.S === '* newer') model.tables.put(names.catalog, item, newer)
  }
  const page = await documents.list('schedule', '', '*')
  expect(page.documents.map(({ key }) => key.name)).toEqual(['good'])
  expect(page.unreadable).toMatchObject([
    { key: keyOf('damaged'), reason: { code: 'RECORD_DAMAGED' } },
    { key: keyOf('newer'), reason: { code: 'RECORD_TOO_NEW' } },
  ])
  const before = structuredClone(model.tables.listItems(names.catalog))
  for (const { key, reason } of page.unreadable)
    await expect(documents.get(key)).rejects.toMatchObject({ message: reason.message })
  const refused = { code: 'RECORD_TOO_NEW' }
  await expect(documents.put(keyOf('newer'), {}, 1)).rejects.toMatchObject(refused)
  await expect(documents.remove(keyOf('newer'), 1)).rejects.toMatchObject(refused)
  expect(model.tables.listItems(names.catalog)).toEqual(before)
})

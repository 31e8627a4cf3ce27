import { afterEach, beforeEach, expect, test } from 'vitest'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import { shop } from '../api/api.fixture.ts'
import { openTestService, shopService, type TestService } from './service.fixture.ts'

// `pulumi config refresh` replaces the stack file with the configuration of the latest update.

let service: TestService
let admin = ''
beforeEach(async () => {
  service = await openTestService()
  admin = `token ${await service.issueToken('admin')}`
})
afterEach(() => service.close())

const clientConfig = {
  'shop:size': { string: '3', secret: false, object: false },
  'shop:key': { string: 'AAEC', secret: true, object: false },
}

/** Runs an update of a client with this configuration. */
async function updateWith(config: object): Promise<void> {
  const created = await service.call(admin, `POST ${shopService}/update`, { config })
  const path = `${shopService}/update/${String(created.json['updateID'])}`
  const started = await service.call(admin, `POST ${path}`, { journalVersion: 1 })
  const lease = `update-token ${String(started.json['token'])}`
  await service.call(lease, `POST ${path}/complete`, { status: 'succeeded' })
}

/** Adds a deployment of this engine to the history. */
async function addDeployment(
  command: HistoryRecord['command'],
  config?: NonNullable<HistoryRecord['config']>,
): Promise<void> {
  const { catalog } = service.platform
  const configField = config === undefined ? {} : { config }
  const start = { command, message: '', at: 1 as EpochMs, ...configField }
  const started = await catalog.start(shop, start)
  const end = { at: 2 as EpochMs, result: 'succeeded', changes: {}, version: 0 } as const
  await catalog.release(started.deployment, end)
}

const readLatest = () => service.call(admin, `GET ${shopService}/updates/latest`)

// The defect: the configuration is empty after an edit of the state, so the client removes all
// values of the stack file.
test.each(['stack import', 'stack rename', 'state'] as const)(
  'after the command %s the latest configuration is that of the update before it',
  async command => {
    await updateWith(clientConfig)
    await addDeployment(command)
    const { status, json } = await readLatest()
    expect([status, json['info']]).toMatchObject([200, { config: clientConfig }])
  },
)

test('the latest configuration is empty only if the latest update had none', async () => {
  await updateWith(clientConfig)
  await updateWith({})
  expect((await readLatest()).json['info']).toMatchObject({ kind: 'update', config: {} })
})

test('a deployment of this engine has its configuration in the form of clients', async () => {
  await addDeployment('up', {
    'shop:size': '3',
    'shop:enabled': true,
    'shop:key': { secure: 'AAEC' },
    'shop:hosts': ['a', { secure: 'AAED' }],
    'shop:limits': { cpu: 2 },
  })
  const config = {
    ...clientConfig,
    'shop:enabled': { string: 'true', secret: false, object: false },
    'shop:hosts': { string: '["a",{"secure":"AAED"}]', secret: true, object: true },
    'shop:limits': { string: '{"cpu":2}', secret: false, object: true },
  }
  expect((await readLatest()).json['info']).toMatchObject({ config })
  const { json } = await service.call(admin, `GET ${shopService}/updates`)
  expect(json['updates']).toMatchObject([{ config }])
})

// `pulumi destroy` outside of the project folder reads this route, and ends with any error of it.
test('a deployment without a recorded configuration has that of the one before it', async () => {
  await updateWith(clientConfig)
  await updateWith({ 'shop:text': { string: 'x'.repeat(70_000), secret: false } })
  await addDeployment('up')
  const { status, json } = await readLatest()
  expect([status, json['info']]).toMatchObject([200, { config: clientConfig }])
})

test('a stack that only got imported states has an empty configuration', async () => {
  expect(await readLatest()).toMatchObject({ status: 404, json: { code: 404 } })
  await addDeployment('stack import')
  const { status, json } = await readLatest()
  expect([status, json['info']]).toMatchObject([200, { config: {} }])
})

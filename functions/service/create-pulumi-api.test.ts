import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stackIdOf } from '../../shared/records/ids.ts'
import { shop } from '../api/api.fixture.ts'
import { leaseMs } from '../../shared/pulumi-service/client-update.ts'
import { toServiceErrorResponse } from '../../shared/pulumi-service/service-error.ts'
import { readServiceBody } from '../../shared/pulumi-service/service-body.ts'
import { entryOf, openTestService, shopService, type TestService } from './service.fixture.ts'

// A Lambda function runs in many processes. Two apps over the same records represent two of them.

let service: TestService
let admin = ''

beforeEach(async () => {
  service = await openTestService()
  admin = `token ${await service.issueToken('admin')}`
})

afterEach(() => service.close())

test('two processes serve one update in turn, and every entry is in the state', async () => {
  const processes = [service.openProcess(), service.openProcess()]
  const { path, lease } = await service.startUpdate(admin)
  const names = Array.from({ length: 6 }, (_, index) => `group-${index}`)
  for (const [index, name] of names.entries()) {
    const urn = `urn:pulumi:dev::shop::my:index:Group::${name}`
    const state = { urn, custom: false, type: 'my:index:Group' }
    const operation = { resource: state, type: 'creating' }
    const entries = [
      entryOf(0, 2 * index + 1, { operationID: index, operation }),
      entryOf(1, 2 * index + 2, { operationID: index, state }),
    ]
    const call = processes[index % 2]
    expect(await call?.(lease, `PATCH ${path}/journalentries`, { entries })).toMatchObject({
      status: 200,
    })
    expect(await processes[(index + 1) % 2]?.(lease, `POST ${path}/renew_lease`, {})).toMatchObject(
      { status: 200 },
    )
  }
  const end = await processes[0]?.(lease, `POST ${path}/complete`, { status: 'succeeded' })
  expect(end?.status).toBe(200)
  // The other process repeats the report, as a client does that got no response.
  const again = await processes[1]?.(lease, `POST ${path}/complete`, { status: 'succeeded' })
  expect(again?.status).toBe(200)
  const { json } = await service.call(admin, `GET ${shopService}/export`)
  const { resources } = json['deployment'] as { readonly resources: readonly { urn: string }[] }
  expect(resources.map(({ urn }) => urn.split('::').at(-1))).toEqual(names)
  const history = await service.platform.catalog.listHistory(stackIdOf('shop', 'dev'), 9)
  expect(history).toMatchObject([{ result: 'succeeded', by: 'admin (pulumi)' }])
})

test('the stack gets a nudge when its update is completed or cancelled, or when its lease expires', async () => {
  const nudges: (string | undefined)[] = []
  const receive = async (): Promise<void> => {
    nudges.push(await service.platform.nudges.receive(0))
  }
  const first = await service.startUpdate(admin)
  await receive()
  await service.call(first.lease, `POST ${first.path}/complete`, { status: 'succeeded' })
  await receive()
  const second = await service.startUpdate(admin)
  await service.call(admin, `POST ${second.path}/cancel`)
  await receive()
  await service.startUpdate(admin)
  service.advanceClock(leaseMs + 1)
  await service.call(admin, `DELETE ${shopService}?force=true`)
  await receive()
  expect(nudges).toEqual([undefined, shop, shop, shop])
})

test('a cancel succeeds while calls of the client are underway, and keeps the entries that the service acknowledged', async () => {
  const { path, lease } = await service.startUpdate(admin)
  const calls = Array.from({ length: 12 }, async (_, index) => {
    const urn = `urn:pulumi:dev::shop::my:index:Group::group-${index}`
    const state = { urn, custom: false, type: 'my:index:Group' }
    const entries = [entryOf(1, index + 1, { operationID: index, state })]
    const { status } = await service.call(lease, `PATCH ${path}/journalentries`, { entries })
    return status === 200 ? [urn] : []
  })
  const cancel = await service.call(admin, `POST ${path}/cancel`)
  expect(cancel).toMatchObject({ status: 200 })
  const acknowledged = (await Promise.all(calls)).flat()
  const { json } = await service.call(admin, `GET ${shopService}/export`)
  const { resources = [] } = json['deployment'] as { resources?: readonly { urn: string }[] }
  expect(resources.map(({ urn }) => urn)).toEqual(expect.arrayContaining(acknowledged))
})

test('searches for results of policies find nothing', async () => {
  const path = '/api/orgs/organization/policyresults'
  const issues = await service.call(admin, `POST ${path}/issues`, {})
  expect(issues).toMatchObject({ status: 200, json: { policyIssues: [], rowCount: 0 } })
  const compliance = await service.call(admin, `POST ${path}/compliance`, {})
  expect(compliance).toMatchObject({ status: 200, json: { columns: [], rows: [] } })
})

test('an address for clients of Pulumi has only their routes, and its errors have their status as code', async () => {
  const call = service.openProcess()
  for (const path of ['/v1/stacks', '/openapi.json', '/api/none', '/'])
    expect(await call(admin, `GET ${path}`)).toMatchObject({ status: 404, json: { code: 404 } })
})

test('a compressed body that a gateway converted to text is refused with this reason', async () => {
  const text = gzipSync('{}').toString('utf8')
  const headers = { 'content-encoding': 'gzip' }
  const request = new Request('https://x.test/', { method: 'POST', headers, body: text })
  await expect(readServiceBody(request, 1_000)).rejects.toThrow('converted to text')
})

test.each(['br', 'deflate', 'zstd', 'gzip, br', 'br, gzip', 'gz'])(
  'a body with the content encoding %s is refused with the status 415',
  async encoding => {
    const headers = { 'content-encoding': encoding }
    const request = new Request('https://x.test/', { method: 'POST', headers, body: '{}' })
    const refusal = await readServiceBody(request, 1_000).catch((thrown: unknown) => thrown)
    const response = toServiceErrorResponse(refusal, 'request-1')
    expect([response.status, await response.json()]).toEqual([
      415,
      {
        code: 415,
        message:
          `the body has the content encoding '${encoding}', which the service cannot unpack. ` +
          'Send the body without a content encoding, or with gzip.',
      },
    ])
  },
)

test.each([undefined, '', 'identity', 'gzip', 'GZIP', 'x-gzip'])(
  'a body with the content encoding %s is read',
  async encoding => {
    const body = /gzip/i.test(encoding ?? '') ? gzipSync('{"a":1}') : '{"a":1}'
    const headers = encoding === undefined ? {} : { 'content-encoding': encoding }
    const request = new Request('https://x.test/', { method: 'POST', headers, body })
    expect((await readServiceBody(request, 1_000)).json).toEqual({ a: 1 })
  },
)

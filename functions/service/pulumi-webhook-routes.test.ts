import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { deliverMessage } from '../../shared/triggers/notifications/deliver-message.ts'
import { startHttpReceiver } from '../../shared/triggers/outbound/local-receiver.fixture.ts'
import { bodySignatureOf } from '../../shared/triggers/webhooks/webhook-signature.ts'
import { type EpochMs, stackIdOf } from '../../shared/records/ids.ts'
import { shop } from '../api/api.fixture.ts'
import { openTestService, shopService, type TestService } from './service.fixture.ts'

// Webhooks of Pulumi's clients, which the service stores as notifications.

let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
let service: TestService
let deploy = ''

beforeEach(async () => {
  receiver = await startHttpReceiver()
  const { outbound } = receiver
  const addresses = { allowedNetworks: ['127.0.0.1/32'], isHttpAllowed: true }
  service = await openTestService({ addresses, outbound })
  deploy = `token ${await service.issueToken('deploy')}`
})

afterEach(async () => {
  await service.close()
  receiver.close()
})

const secret = 'a key'

/** Creates a webhook of the stack, and returns the response of the service. */
async function createWebhook(fields: object = {}, authorization = deploy) {
  const hook = { name: '', displayName: 'my hook', payloadUrl: `${receiver.origin}/in` }
  const body = { organizationName: 'organization', ...hook, active: true, secret, ...fields }
  return service.call(authorization, `POST ${shopService}/hooks`, body)
}

describe('webhooks', () => {
  test('are created, read, changed and removed without a trace of their secret', async () => {
    const { status, json } = await createWebhook({
      filters: ['update_failed'],
      groups: ['deployments'],
    })
    expect(status).toBe(200)
    const path = `${shopService}/hooks/${String(json['name'])}`
    expect(json).toMatchObject({
      name: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
      displayName: 'my hook',
      projectName: 'shop',
      stackName: 'dev',
      active: true,
      format: 'raw',
      hasSecret: true,
      filters: ['update_failed'],
      groups: ['deployments'],
    })
    expect((await service.call(deploy, `GET ${path}`)).json).toEqual(json)
    expect((await service.call(deploy, `GET ${shopService}/hooks`)).json).toEqual([json])
    const changed = { ...json, active: false, filters: ['destroy_failed'], secret: '' }
    const patched = await service.call(deploy, `PATCH ${path}`, changed)
    expect(patched.json).toEqual({ ...json, active: false, filters: ['destroy_failed'] })
    const cleared = { ...json, secret: '__remove-secret' }
    const bare = await service.call(deploy, `PATCH ${path}`, cleared)
    expect(bare.json).toEqual({ ...json, hasSecret: false })
    expect(JSON.stringify([json, patched.json, bare.json])).not.toContain(secret)
    expect((await service.call(deploy, `DELETE ${path}`)).status).toBe(204)
    expect((await service.call(deploy, `GET ${path}`)).status).toBe(404)
  })

  test('are listed without a document that another version wrote', async () => {
    const { json } = await createWebhook()
    const key = { kind: 'notification', scope: shop, name: 'future' } as const
    await service.platform.documents.put(key, { shape: 'of the future' }, 0)
    expect((await service.call(deploy, `GET ${shopService}/hooks`)).json).toEqual([json])
  })

  test('refuse formats, filters and groups that Antichain does not have, and name them', async () => {
    const refusals = [
      { format: 'slack' },
      { format: 'ms_teams' },
      { format: 'pulumi_deployments' },
      { filters: ['update_failed', 'preview_succeeded'] },
      { filters: ['policy_violation_mandatory'] },
      { groups: ['stacks', 'policies'] },
    ]
    for (const fields of refusals) {
      const { status, json } = await createWebhook(fields)
      const name = Object.values(fields).flat().at(-1)
      expect([fields, status, json['message']]).toEqual([
        fields,
        501,
        expect.stringContaining(`'${name}'`),
      ])
    }
    expect((await service.call(deploy, `GET ${shopService}/hooks`)).json).toEqual([])
  })

  test('refuse addresses that must not be called, and a second webhook of one name', async () => {
    for (const payloadUrl of ['http://10.0.0.1/x', 'https://169.254.169.254/', 'ftp://a.b/'])
      expect((await createWebhook({ payloadUrl })).status).toBe(400)
    expect((await createWebhook({ displayName: 'a\u001b[2J' })).status).toBe(400)
    expect((await createWebhook({ name: 'one' })).status).toBe(200)
    expect((await createWebhook({ name: 'one' })).status).toBe(409)
  })

  test('require the role that notifications require', async () => {
    const preview = `token ${await service.issueToken('preview')}`
    const admin = `token ${await service.issueToken('admin')}`
    const limited = `token ${await service.issueToken('admin', ['shop/dev'])}`
    expect((await createWebhook({}, preview)).status).toBe(403)
    const orgHooks = 'GET /api/orgs/organization/hooks'
    const statuses = [deploy, limited, admin].map(async token => {
      const { status } = await service.call(token, orgHooks)
      return status
    })
    expect(await Promise.all(statuses)).toEqual([403, 403, 200])
    const body = { displayName: 'all', payloadUrl: receiver.origin, active: true }
    const created = await service.call(admin, 'POST /api/orgs/organization/hooks', body)
    expect(created.json).toMatchObject({ displayName: 'all', hasSecret: false, filters: [] })
    expect(created.json).not.toHaveProperty('stackName')
    expect((await service.call(deploy, `GET ${shopService}/hooks`)).json).toEqual([])
  })

  test('a ping is a signed delivery with the response of the receiver', async () => {
    receiver.state.answer = () => ({ status: 418, body: 'a teapot', headers: { 'x-a': 'b' } })
    const path = `${shopService}/hooks/${String((await createWebhook()).json['name'])}`
    const { status, json } = await service.call(deploy, `POST ${path}/ping`)
    expect([status, json]).toEqual([
      200,
      expect.objectContaining({ kind: 'ping', responseCode: 418, responseBody: 'a teapot' }),
    ])
    expect(json['responseHeaders']).toContain('x-a: b\n')
    const [request] = receiver.received
    expect(request).toMatchObject({ method: 'POST', url: '/in', body: json['payload'] })
    expect(request?.headers).toMatchObject({
      'pulumi-webhook-id': json['id'],
      'pulumi-webhook-kind': 'ping',
      'pulumi-webhook-signature': bodySignatureOf(secret, request?.body ?? ''),
    })
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ projectName: 'shop', stackName: 'dev' })
    const unreachable = await service.call(deploy, `PATCH ${path}`, {
      payloadUrl: 'http://127.0.0.1:1/',
      active: true,
    })
    expect(unreachable.status).toBe(200)
    const failed = await service.call(deploy, `POST ${path}/ping`)
    expect(failed.json).toMatchObject({ responseCode: 0 })
  })

  test('keep their deliveries, which can be sent again with the current secret', async () => {
    receiver.state.answer = () => ({ status: 500, body: 'down' })
    const path = `${shopService}/hooks/${String((await createWebhook({ name: 'ops' })).json['name'])}`
    const deliveries = `${path}/deliveries`
    expect((await service.call(deploy, `GET ${deliveries}`)).json).toEqual([])
    const ping = (await service.call(deploy, `POST ${path}/ping`)).json
    expect((await service.call(deploy, `GET ${deliveries}`)).json).toEqual([ping])
    receiver.state.answer = () => ({ status: 200 })
    const changed = { payloadUrl: `${receiver.origin}/in`, active: true, secret: 'another key' }
    await service.call(deploy, `PATCH ${path}`, changed)
    const redelivery = `POST ${deliveries}/${String(ping['id'])}/redeliver`
    const repeated = (await service.call(deploy, redelivery)).json
    expect(repeated).toMatchObject({ id: ping['id'], payload: ping['payload'], responseCode: 200 })
    expect((await service.call(deploy, `GET ${deliveries}`)).json).toEqual([repeated])
    const [first, second] = receiver.received
    expect(second?.body).toBe(first?.body)
    expect(second?.headers).toMatchObject({
      'pulumi-webhook-id': ping['id'],
      'pulumi-webhook-signature': bodySignatureOf('another key', second?.body ?? ''),
    })
    const unknown = await service.call(deploy, `POST ${deliveries}/none/redeliver`)
    expect([unknown.status, unknown.json['message']]).toEqual([
      404,
      expect.stringContaining("no delivery 'none'"),
    ])
    // A webhook of the same name must not show the deliveries of a removed one.
    await service.call(deploy, `DELETE ${path}`)
    expect((await service.call(deploy, `GET ${deliveries}`)).status).toBe(404)
    await createWebhook({ name: 'ops' })
    expect((await service.call(deploy, `GET ${deliveries}`)).json).toEqual([])
  })

  test('of a renamed stack sign with their secret, which a change without a secret keeps', async () => {
    const path = `${shopService}/hooks/${String((await createWebhook({ name: 'ops' })).json['name'])}`
    const to = stackIdOf('mall', 'prod')
    const empty = { expectedVersion: 0, snapshot: '', program: '' } as const
    const { renames } = service.platform
    expect(await renames.rename(shop, to, { ...empty, at: 9 as EpochMs })).toBe('renamed')
    const newPath = path.replace('shop/dev', 'mall/prod')
    const ping = () => service.call(deploy, `POST ${newPath}/ping`)
    expect(await ping()).toMatchObject({ status: 200, json: { responseCode: 200 } })
    const { json } = await service.call(deploy, `GET ${newPath}`)
    expect((await service.call(deploy, `PATCH ${newPath}`, { ...json, secret: '' })).status).toBe(
      200,
    )
    expect(await ping()).toMatchObject({ status: 200, json: { responseCode: 200 } })
    await service.call(deploy, `PATCH ${newPath}`, { ...json, secret: 'another key' })
    expect(await ping()).toMatchObject({ status: 200, json: { responseCode: 200 } })
    const keys = [secret, secret, 'another key']
    expect(receiver.received).toHaveLength(keys.length)
    for (const [index, { body, headers }] of receiver.received.entries())
      expect(headers['pulumi-webhook-signature']).toBe(bodySignatureOf(keys[index] ?? '', body))
  })

  test('a service that may not use secrets forwards its calls, and another process sends the deliveries', async () => {
    const call = service.openProcess()
    const hook = { displayName: 'a', payloadUrl: `${receiver.origin}/in`, active: true, secret }
    const created = await call(deploy, `POST ${shopService}/hooks`, hook)
    expect([created.status, created.json['hasSecret']]).toEqual([200, true])
    const path = `${shopService}/hooks/${String(created.json['name'])}`
    const [ping] = await Promise.all([call(deploy, `POST ${path}/ping`), deliverNext()])
    expect([ping.status, ping.json]).toMatchObject([200, { kind: 'ping', responseCode: 200 }])
    const redelivery = `POST ${path}/deliveries/${String(ping.json['id'])}/redeliver`
    // Each request is a message of its own, so the second one is not a duplicate.
    for (let count = 0; count < 2; count += 1) {
      const [repeated] = await Promise.all([call(deploy, redelivery), deliverNext()])
      expect(repeated.json).toMatchObject({ id: ping.json['id'], responseCode: 200 })
    }
    expect(receiver.received).toHaveLength(3)
    for (const { body, headers } of receiver.received)
      expect(headers['pulumi-webhook-signature']).toBe(bodySignatureOf(secret, body))
    const unknown = await call(deploy, `POST ${path}/deliveries/none/redeliver`)
    expect([unknown.status, unknown.json['code']]).toEqual([404, 404])
    const preview = `token ${await service.issueToken('preview')}`
    expect((await call(preview, `POST ${path}/ping`)).status).toBe(403)
    expect((await call('', `POST ${path}/ping`)).status).toBe(401)
    const [last] = await service.platform.audit.read(0, 1)
    expect(last).toMatchObject({ from: '192.0.2.7' })
    // A delivery that cannot be sent is not sent later: its user has received an error.
    const key = { kind: 'notification', scope: shop, name: 'unopenable' } as const
    const unopenable = { url: receiver.origin, format: 'pulumi', secret: 'x', events: ['failed'] }
    await service.platform.documents.put(key, unopenable, 0)
    await service.platform.notifications.send([{ kind: 'ping', key, id: 'p' }])
    await deliverNext()
    expect(await service.platform.notifications.receive(1, 0)).toEqual([])
    expect((await call(deploy, `DELETE ${path}`)).status).toBe(204)
  })
})

/** Delivers the next message of the queue, as the function for schedules does. */
async function deliverNext(): Promise<void> {
  const { platform } = service
  const [delivery] = await platform.notifications.receive(1, 10_000)
  if (delivery === undefined) throw new Error('the queue is empty')
  expect(await deliverMessage({ ...platform, outbound: receiver.outbound }, delivery)).toBe(
    'delivered',
  )
}

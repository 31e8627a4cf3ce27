import { afterEach, beforeEach, expect, test } from 'vitest'
import { federationKeyOf } from '../../shared/api/federation/federation-rule.ts'
import { startIssuer, type TestIssuer } from '../../shared/api/federation/issuer.fixture.ts'
import { openTestService, shopService, type TestService } from './service.fixture.ts'

// The login of CI jobs by `pulumi login --oidc-token`.

const audience = 'urn:pulumi:org:organization'
const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'
let issuer: TestIssuer
let service: TestService

beforeEach(async () => {
  issuer = await startIssuer()
  const addresses = { allowedNetworks: ['127.0.0.1/32'], isHttpAllowed: true }
  service = await openTestService({ addresses, outbound: issuer.outbound })
  const rule = { issuer: issuer.issuer, audience, claims: { repository: 'acme/shop' } }
  const value = { ...rule, role: 'preview', stacks: ['shop/dev'], lifetimeSeconds: 3_600 }
  await service.platform.documents.put(federationKeyOf('shop'), value, 0)
})

afterEach(async () => {
  issuer.close()
  await service.close()
})

async function createGrant(fields: Readonly<Record<string, string>> = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1_000)
  const claims = { aud: audience, sub: 'job', repository: 'acme/shop', iat: now, exp: now + 300 }
  return new URLSearchParams({
    audience,
    grant_type: exchangeGrant,
    requested_token_type: 'urn:pulumi:token-type:access_token:organization',
    scope: '',
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    subject_token: await issuer.sign(claims),
    expiration: '7200',
    ...fields,
  }).toString()
}

const send = (body: string, call = service.call) => call('', 'POST /api/oauth/token', body)

test('a token of an issuer is exchanged for a token with the permissions of the rule', async () => {
  const { status, json } = await send(await createGrant())
  expect([status, json]).toEqual([
    200,
    {
      access_token: expect.stringMatching(/^act_/) as string,
      issued_token_type: 'urn:pulumi:token-type:access_token:organization',
      token_type: 'token',
      expires_in: 3_600,
      scope: '',
    },
  ])
  const token = `token ${String(json['access_token'])}`
  const statuses = [
    await service.call(token, `POST ${shopService}/preview`, {}),
    await service.call(token, `POST ${shopService}/update`, {}),
    await service.call(token, 'GET /api/stacks/organization/other/dev'),
  ].map(response => response.status)
  expect(statuses).toEqual([200, 403, 403])
})

test('a client can shorten the lifetime, and cannot extend it', async () => {
  const { json } = await send(await createGrant({ expiration: '60' }))
  expect(json['expires_in']).toBe(60)
})

test('other grants, teams, users and organizations are refused by name', async () => {
  const refusals: Readonly<Record<string, string>>[] = [
    { grant_type: 'refresh_token' },
    { scope: 'team:ops' },
    { scope: 'user:me' },
    { audience: 'urn:pulumi:org:acme' },
    { requested_token_type: 'urn:pulumi:token-type:access_token:personal' },
  ]
  for (const fields of refusals) {
    const { status, json } = await send(await createGrant(fields))
    const [value = ''] = Object.values(fields)
    expect([status, json]).toEqual([
      400,
      { code: 400, message: expect.stringContaining(value) as string },
    ])
  }
  expect((await send(await createGrant({ expiration: '-1' }))).status).toBe(400)
  expect((await send('')).status).toBe(400)
})

test('a token that no rule admits is refused', async () => {
  const now = Math.floor(Date.now() / 1_000)
  const claims = { aud: audience, sub: 'job', repository: 'acme/other', iat: now, exp: now + 300 }
  const foreign = await createGrant({ subject_token: await issuer.sign(claims) })
  expect((await send(foreign)).status).toBe(401)
  expect((await send(await createGrant({ subject_token: 'a.b.c' }))).status).toBe(401)
})

test('a service that may not write tokens forwards the exchange to the API', async () => {
  const { status, json } = await send(await createGrant(), service.openProcess())
  expect([status, json]).toMatchObject([200, { expires_in: 3_600 }])
  const who = await service.call(`token ${String(json['access_token'])}`, 'GET /api/user')
  expect(who.status).toBe(200)
  // The log has the address of the client, and not that of the function.
  const [last] = await service.platform.audit.read(0, 1)
  expect(last).toMatchObject({ from: '192.0.2.7', status: 201 })
  const refused = await send(await createGrant({ audience: 'a' }), service.openProcess())
  expect([refused.status, refused.json['code']]).toEqual([400, 400])
})

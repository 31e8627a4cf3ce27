import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestApi, type TestApi } from '../api.fixture.ts'
import { createApi } from '../create-api.ts'
import { parseToken, tokenKeyOf } from '../../../shared/api/token-document.ts'
import { startIssuer, type TestIssuer } from '../../../shared/api/federation/issuer.fixture.ts'

let api: TestApi
let issuer: TestIssuer
let app: TestApi['app']
let admin = ''
const audience = 'https://antichain.test'

beforeEach(async () => {
  api = await openTestApi()
  issuer = await startIssuer()
  const addresses = { allowedNetworks: ['127.0.0.1/32'], isHttpAllowed: true }
  app = createApi({
    ports: { ...api.platform, execute: 'here', addresses, outbound: issuer.outbound },
    addressOf: () => '192.0.2.7',
  })
  admin = await api.issueToken('admin')
})

afterEach(async () => {
  issuer.close()
  await api.close()
})

async function call(token: string, requestLine: string, body?: object): Promise<Response> {
  const [method = '', path = ''] = requestLine.split(' ')
  return app.request(path, {
    method,
    headers: token === '' ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** Creates or replaces a rule for an audience. */
async function putRule(name: string, fields: object = {}): Promise<void> {
  const rule = { issuer: issuer.issuer, audience, claims: { sub: 'job' }, role: 'deploy' }
  const response = await call(admin, `PUT /v1/federations/${name}`, { ...rule, ...fields })
  expect(response.status).toBe(200)
}

const removeRule = async (name: string): Promise<void> => {
  expect((await call(admin, `DELETE /v1/federations/${name}`)).status).toBe(200)
}

/** Exchanges an OIDC token for an audience. */
async function exchangeFor(aud: string): Promise<{ readonly id: string; readonly token: string }> {
  const seconds = Math.floor(Date.now() / 1_000)
  const jwt = await issuer.sign({ sub: 'job', aud, iat: seconds, exp: seconds + 300 })
  const response = await call('', 'POST /v1/tokens/exchange', { token: jwt })
  expect(response.status).toBe(201)
  return (await response.json()) as { readonly id: string; readonly token: string }
}

const statusOf = async (token: string): Promise<number> =>
  (await call(token, 'GET /v1/whoami')).status

test.each<[string, () => Promise<void>]>([
  ['removed', () => removeRule('ci')],
  ['paused', () => putRule('ci', { isPaused: true })],
  ['limited to a stack', () => putRule('ci', { stacks: ['shop/prod'] })],
  ['removed and created again', () => removeRule('ci').then(() => putRule('ci'))],
])('the token of a rule that was %s is refused like a revoked one', async (_name, change) => {
  const otherAudience = 'https://other.test'
  await putRule('other', { audience: otherAudience })
  await putRule('ci')
  const { token } = await exchangeFor(audience)
  const other = await exchangeFor(otherAudience)
  expect(await statusOf(token)).toBe(200)
  await change()
  const refused = await call(token, 'GET /v1/whoami')
  expect([refused.status, await refused.json()]).toEqual([
    401,
    { code: 'API_TOKEN_REFUSED', message: 'the token is not valid', hint: expect.any(String) },
  ])
  expect(await statusOf(other.token)).toBe(200)
})

test('a rotated token of a rule ends with its rule too', async () => {
  await putRule('ci')
  const { id } = await exchangeFor(audience)
  const rotated = await call(admin, `POST /v1/tokens/${id}/rotate`, {})
  const { token } = (await rotated.json()) as { token: string }
  expect(await statusOf(token)).toBe(200)
  await removeRule('ci')
  expect(await statusOf(token)).toBe(401)
})

test('a token that an earlier version of Antichain issued names no rule, and does not end with its rule', async () => {
  await putRule('ci')
  const { id, token } = await exchangeFor(audience)
  const { documents } = api.platform
  const stored = await documents.get(tokenKeyOf(id))
  if (stored === undefined) throw new Error('the token is not stored')
  const { rule, ...earlier } = parseToken(stored)
  expect(rule).toEqual({ name: 'ci', version: 1 })
  await documents.put(stored.key, earlier, stored.version)
  await removeRule('ci')
  expect(await statusOf(token)).toBe(200)
})

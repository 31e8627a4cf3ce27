import { createPublicKey } from 'node:crypto'
import { SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EpochMs } from '../../../shared/records/ids.ts'
import { openTestApi, type TestApi } from '../api.fixture.ts'
import { createApi } from '../create-api.ts'
import { startIssuer, type TestIssuer } from '../../../shared/api/federation/issuer.fixture.ts'

let api: TestApi
let issuer: TestIssuer
let app: TestApi['app']
let now = Date.now()
let admin = ''
const logged: object[] = []
const audience = 'https://antichain.test'
const subject = 'repo:acme/shop:ref:refs/heads/main'

beforeEach(async () => {
  now = Date.now()
  logged.length = 0
  api = await openTestApi()
  issuer = await startIssuer()
  const { platform } = api
  const clock = { ...platform.clock, now: () => now as EpochMs, monotonicMs: () => now }
  app = createApi({
    ports: {
      ...platform,
      clock,
      execute: 'here',
      addresses: { allowedNetworks: ['127.0.0.1/32'], isHttpAllowed: true },
      outbound: issuer.outbound,
      logger: { write: (_level, event, fields) => void logged.push({ event, ...fields }) },
    },
    addressOf: () => '192.0.2.7',
  })
  admin = await api.issueToken('admin')
})

afterEach(async () => {
  issuer.close()
  await api.close()
})

async function call(token: string, requestLine: string, body?: unknown): Promise<Response> {
  const [method = '', path = ''] = requestLine.split(' ')
  return app.request(path, {
    method,
    headers: token === '' ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

const createRule = async (name: string, fields: object = {}): Promise<void> => {
  const rule = { issuer: issuer.issuer, audience, claims: { repository: 'acme/shop' } }
  const draft = { ...rule, role: 'deploy', stacks: ['shop/dev'], ...fields }
  const response = await call(admin, `PUT /v1/federations/${name}`, draft)
  expect([response.status, await response.clone().text()]).toEqual([200, expect.any(String)])
}

const createClaims = (fields: object = {}): object => ({
  aud: audience,
  sub: subject,
  repository: 'acme/shop',
  iat: Math.floor(now / 1_000),
  exp: Math.floor(now / 1_000) + 300,
  ...fields,
})

async function exchange(token: string, rule?: string) {
  const response = await call('', 'POST /v1/tokens/exchange', {
    token,
    ...(rule === undefined ? {} : { rule }),
  })
  const answer = (await response.json()) as { code?: string; message?: string; token?: string }
  return { status: response.status, answer }
}

const refusal = (code: string, message: unknown = expect.any(String)) => ({
  status: 401,
  answer: { code, message, hint: expect.any(String) },
})

test('a token of an issuer is exchanged for the role, stacks and lifetime of its rule', async () => {
  await createRule('ci', { lifetimeSeconds: 600 })
  const { status, answer } = await exchange(await issuer.sign(createClaims()))
  expect([status, answer]).toEqual([
    201,
    {
      id: expect.any(String),
      name: `ci: ${subject}`,
      role: 'deploy',
      stacks: ['shop/dev'],
      createdAt: now,
      expiresAt: now + 600_000,
      token: expect.stringMatching(/^act_/),
    },
  ])
  const token = answer.token ?? ''
  expect((await call(token, 'GET /v1/stacks/shop/dev')).status).toBe(200)
  expect((await call(token, 'GET /v1/stacks/shop/other')).status).toBe(403)
  expect((await call(token, 'DELETE /v1/stacks/shop/dev')).status).toBe(403)
  expect((await call(token, 'GET /v1/tokens')).status).toBe(403)
  now += 600_000
  const late = await call(token, 'GET /v1/whoami')
  expect([late.status, await late.json()]).toMatchObject([401, { code: 'API_TOKEN_EXPIRED' }])
})

test('the audit log has rule, subject, issuer and id of an exchange, and neither token', async () => {
  await createRule('ci')
  const jwt = await issuer.sign(createClaims())
  const { answer } = await exchange(jwt)
  const text = await (await call(admin, 'GET /v1/audit?limit=2')).text()
  const { items } = JSON.parse(text) as { items: object[] }
  const { id = '', token = '' } = answer as { id?: string; token?: string }
  const who = `ci: ${subject} of ${issuer.issuer} (${id})`
  const entry = { who, what: 'POST /v1/tokens/exchange', from: '192.0.2.7' }
  expect(items).toMatchObject([
    { ...entry, kind: 'answered', status: 201 },
    { ...entry, kind: 'asked' },
  ])
  // A token is `act_<id>_<secret>`. Its secret begins after 21 characters.
  for (const secret of [jwt, token.slice(21)]) expect(text).not.toContain(secret)
})

test('an expired, early or incomplete token is refused', async () => {
  await createRule('ci')
  // The API accepts clocks that differ by 30 s.
  const seconds = Math.floor(now / 1_000)
  const expired = await issuer.sign(createClaims({ exp: seconds - 31 }))
  expect(await exchange(expired)).toEqual(
    refusal('OIDC_TOKEN_EXPIRED', 'the OIDC token has expired'),
  )
  const tolerated = await issuer.sign(createClaims({ exp: seconds - 29 }))
  expect((await exchange(tolerated)).status).toBe(201)
  for (const early of [{ nbf: seconds + 31 }, { iat: seconds + 31 }])
    expect(await exchange(await issuer.sign(createClaims(early)))).toEqual(
      refusal('OIDC_TOKEN_INVALID', 'the OIDC token is not valid: it is not valid yet'),
    )
  for (const claim of ['sub', 'aud', 'exp', 'iat'])
    expect(await exchange(await issuer.sign(createClaims({ [claim]: undefined })))).toEqual(
      refusal(
        'OIDC_TOKEN_INVALID',
        `the OIDC token is not valid: its claim '${claim}' is not valid`,
      ),
    )
})

test('a token for another audience is refused, and the refusal names this audience, but none of a rule', async () => {
  await createRule('ci')
  const jwt = await issuer.sign(createClaims({ aud: 'https://other.test' }))
  const { status, answer } = await exchange(jwt)
  expect([status, answer.code]).toEqual([401, 'OIDC_AUDIENCE_WRONG'])
  expect(answer.message).toContain('https://other.test')
  expect(JSON.stringify(answer)).not.toContain(audience)
  const both = await issuer.sign(createClaims({ aud: ['https://other.test', audience] }))
  expect((await exchange(both)).status).toBe(201)
})

test('an unknown issuer is not called, and its token is answered like one whose claims do not match', async () => {
  const jwt = await issuer.sign(createClaims())
  const unknown = await exchange(jwt)
  expect(unknown).toEqual(refusal('OIDC_TOKEN_FOREIGN'))
  expect(issuer.listPaths()).toEqual([])
  await createRule('paused', { isPaused: true })
  expect(await exchange(jwt)).toEqual(unknown)
  expect(issuer.listPaths()).toEqual([])
  await createRule('ci', { claims: { repository: 'acme/shop', ref: 'refs/heads/main' } })
  const foreign = await issuer.sign(
    createClaims({ repository: 'eve/shop', ref: 'refs/heads/main' }),
  )
  expect(await exchange(foreign)).toEqual(unknown)
  expect(await exchange(jwt)).toEqual(unknown)
  expect(logged).toMatchObject([
    {},
    {},
    { event: 'federation.refused', code: 'OIDC_TOKEN_FOREIGN', issuer: issuer.issuer },
    {},
  ])
})

test('a token without a signature, with a symmetric one, or changed after it was signed is refused', async () => {
  await createRule('ci')
  const claims = { iss: issuer.issuer, ...createClaims() }
  const { publicJwk } = issuer.state.key
  const publicKey = createPublicKey({ key: publicJwk, format: 'jwk' })
  const sharedSecret = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }))
  const unsigned = new UnsecuredJWT(claims).encode()
  const symmetric = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid: '1' })
    .sign(sharedSecret)
  const good = await issuer.sign(createClaims())
  const [header = '', , signature = ''] = good.split('.')
  const payload = Buffer.from(JSON.stringify({ ...claims, repository: 'acme/shop', x: 1 }))
  const changed = [header, payload.toString('base64url'), signature].join('.')
  const reasons: readonly (readonly [string, string])[] = [
    [unsigned, "its algorithm 'none' is not accepted"],
    [symmetric, "its algorithm 'HS256' is not accepted"],
    [changed, 'its signature is not valid'],
    ['act_not-a-jwt', 'it is not a JWT'],
    [`${header}.e30.${signature}`, 'it names no issuer'],
  ]
  for (const [jwt, reason] of reasons)
    expect(await exchange(jwt)).toEqual(
      refusal('OIDC_TOKEN_INVALID', `the OIDC token is not valid: ${reason}`),
    )
})

test('a request that is too large is refused before it is decoded', async () => {
  await createRule('ci')
  const large = await issuer.sign(createClaims({ note: 'x'.repeat(20_000) }))
  expect(await exchange(large)).toMatchObject({
    status: 413,
    answer: { code: 'API_BODY_TOO_LARGE' },
  })
  expect(issuer.listPaths()).toEqual([])
})

test('of several rules that admit a token, the request must name one', async () => {
  await createRule('reader', { role: 'read' })
  await createRule('writer')
  const jwt = await issuer.sign(createClaims())
  const { status, answer } = await exchange(jwt)
  expect([status, answer.code]).toEqual([409, 'OIDC_RULE_AMBIGUOUS'])
  expect(answer.message).toContain("'reader', 'writer'")
  expect((await exchange(jwt, 'reader')).answer).toMatchObject({ role: 'read' })
  expect((await exchange(jwt, 'writer')).answer).toMatchObject({ role: 'deploy' })
  expect(await exchange(jwt, 'absent')).toEqual(refusal('OIDC_TOKEN_FOREIGN'))
})

test('a rule that is invalid, too broad or for a private address is not stored', async () => {
  const github = 'https://token.actions.githubusercontent.com'
  const cases: readonly (readonly [object, string])[] = [
    [{ claims: {} }, 'API_INPUT_INVALID'],
    [{ claims: { sub: '**' } }, 'FEDERATION_TOO_BROAD'],
    [{ claims: { ref: 'refs/heads/*' } }, 'FEDERATION_TOO_BROAD'],
    [{ issuer: github, claims: { ref: 'refs/heads/main' } }, 'FEDERATION_TOO_BROAD'],
    [{ issuer: 'https://10.0.0.1' }, 'OUTBOUND_REFUSED'],
    [{ issuer: `${issuer.issuer}?x=1` }, 'API_INPUT_INVALID'],
    [{ lifetimeSeconds: 43_201 }, 'API_INPUT_INVALID'],
    [{ stacks: ['shop'] }, 'API_INPUT_INVALID'],
  ]
  for (const [fields, code] of cases) {
    const rule = { issuer: issuer.issuer, audience, claims: { sub: 'x' }, role: 'read', ...fields }
    const response = await call(admin, 'PUT /v1/federations/ci', rule)
    expect([fields, response.status, await response.json()]).toMatchObject([fields, 400, { code }])
  }
  const page = await (await call(admin, 'GET /v1/federations')).json()
  expect(page).toMatchObject({ items: [] })
})

test('an invalid rule is logged, and the other rules still admit tokens', async () => {
  const invalidKey = { kind: 'federation', scope: '*', name: 'broken' } as const
  await api.platform.documents.put(invalidKey, { issuer: issuer.issuer }, 0)
  await createRule('ci')
  expect((await exchange(await issuer.sign(createClaims()))).status).toBe(201)
  expect(logged).toEqual([{ event: 'federation.invalid', rule: 'broken' }])
})

test('without an entry in the audit log no token is created', async () => {
  await createRule('ci')
  const jwt = await issuer.sign(createClaims())
  const before = (await api.platform.documents.list('token', '')).documents.length
  const append = async (): Promise<never> => {
    throw new Error('the disk is full')
  }
  const { platform } = api
  const failing = createApi({
    ports: {
      ...platform,
      audit: { ...platform.audit, append },
      execute: 'here',
      addresses: {},
      outbound: issuer.outbound,
    },
    addressOf: () => '',
  })
  const body = JSON.stringify({ token: jwt })
  const response = await failing.request('/v1/tokens/exchange', { method: 'POST', body })
  expect(response.status).toBe(500)
  expect((await api.platform.documents.list('token', '')).documents).toHaveLength(before)
})

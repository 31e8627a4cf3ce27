import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { apiLimits } from '../../shared/config/api-limits.ts'
import { createOutbound } from '../../shared/triggers/outbound/outbound.ts'
import { openTestApi, shopPath, type TestApi } from './api.fixture.ts'
import { includesRole, roles } from '../../shared/api/authorization.ts'
import { routes } from './routes-table.ts'

let api: TestApi

beforeAll(async () => {
  api = await openTestApi()
})
afterAll(() => api.close())

const parameterValues: Readonly<Record<string, string>> = {
  project: 'shop',
  stack: 'dev',
  name: 'x',
  number: '1',
  key: 'k',
  id: '0'.repeat(16),
  archive: '0'.repeat(64),
  delivery: 'x',
  kind: 'resource',
  version: '1.0.0',
  os: 'linux',
  arch: 'arm64',
}
const fillPath = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => parameterValues[name] ?? '')

describe('a route refuses exactly the roles and scopes without its permission', () => {
  const scopes = [undefined, ['shop/dev'], ['shop/*'], ['shop/other'], ['other/*', 'shop/de']]
  // Whether each of the scopes includes the stack shop/dev.
  const includesStack = [true, true, true, false, false]

  test.each(routes.map(route => [`${route.method} ${route.path}`, route] as const))(
    '%s',
    async (_, route) => {
      for (const role of roles)
        for (const [index, stacks] of scopes.entries()) {
          const isInScope =
            route.scope === 'any' ||
            (route.scope === 'stack' ? includesStack[index] : stacks === undefined)
          const token = await api.issueToken(role, stacks)
          const requestLine = `${route.method} ${fillPath(route.path)}`
          const body = route.method === 'GET' ? undefined : 1
          const response = await api.call(token, requestLine, body)
          const isAllowed = isInScope && includesRole(role, route.role)
          expect([role, stacks, response.status === 403]).toEqual([role, stacks, !isAllowed])
          expect(response.status).not.toBe(401)
          expect(response.status).not.toBe(500)
          // A delete of the stack is the only one of these calls with an effect.
          if (route.method === 'DELETE' && response.status === 200)
            await api.platform.catalog.createStack('organization/shop/dev' as never, 1 as never)
          await response.body?.cancel()
        }
      const withoutToken = await api.call('', `${route.method} ${fillPath(route.path)}`)
      expect(withoutToken.status).toBe(401)
    },
  )
})

describe('a field of a body refuses exactly the roles below its own', () => {
  const higherRoles: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'POST /v1/stacks/{project}/{stack}/previews': { archive: 'deploy', imports: 'deploy' },
    'PUT /v1/stacks/{project}/{stack}/schedules/{name}': { removesStack: 'admin' },
  }
  const bodies = routes.flatMap(route =>
    route.body instanceof z.ZodObject
      ? [[`${route.method} ${route.path}`, route, Object.keys(route.body.shape)] as const]
      : [],
  )

  test('all fields are listed, so that a new field needs a decision about its role', () => {
    expect(Object.fromEntries(bodies.map(([name, , fields]) => [name, fields]))).toMatchSnapshot()
  })

  test.each(bodies)('%s', async (name, route, fields) => {
    for (const role of roles.filter(other => includesRole(other, route.role)))
      for (const field of fields) {
        const token = await api.issueToken(role)
        const response = await api.call(token, `${route.method} ${fillPath(route.path)}`, {
          [field]: {},
        })
        const requiredRole = roles.find(other => other === higherRoles[name]?.[field])
        const isAllowed = requiredRole === undefined || includesRole(role, requiredRole)
        expect([role, field, response.status === 403]).toEqual([role, field, !isAllowed])
        await response.body?.cancel()
      }
  })
})

test('an unknown, truncated, mixed, revoked or expired token is refused', async () => {
  const token = await api.issueToken('admin')
  const other = await api.issueToken('admin')
  // A token is `act_<id>_<secret>`, and its secret may contain `_`.
  const [, id, secret] = token.split(/_(?=[0-9a-f]{16}_)|(?<=_[0-9a-f]{16})_/)
  const bad = [
    'act_0000000000000000_' + 'A'.repeat(43),
    token.slice(0, -1),
    `act_${id}_${other.slice(21)}`,
    `${id}_${secret}`,
    'x',
  ]
  for (const text of bad) {
    const response = await api.call(text, 'GET /v1/whoami')
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ code: 'API_TOKEN_REFUSED' })
  }
  const revoked = await api.call(other, `DELETE /v1/tokens/${id}`)
  expect(revoked.status).toBe(200)
  expect((await api.call(token, 'GET /v1/whoami')).status).toBe(401)
  const short = await api.call(other, 'POST /v1/tokens', { name: 'short', role: 'read', days: 1 })
  const { token: expiringToken, id: expiringId } = (await short.json()) as {
    token: string
    id: string
  }
  expect((await api.call(expiringToken, 'GET /v1/whoami')).status).toBe(200)
  const key = { kind: 'token', scope: '*', name: expiringId } as const
  const stored = await api.platform.documents.get(key)
  await api.platform.documents.put(key, { ...(stored?.value as object), expiresAt: 1 }, 1)
  const expired = await api.call(expiringToken, 'GET /v1/whoami')
  expect([expired.status, await expired.json()]).toMatchObject([401, { code: 'API_TOKEN_EXPIRED' }])
})

test('a token is shown once, and its document does not contain it', async () => {
  const fresh = await openTestApi()
  const admin = await fresh.issueToken('admin')
  const made = await fresh.call(admin, 'POST /v1/tokens', {
    name: 'ci',
    role: 'preview',
    stacks: ['shop/*'],
  })
  expect(made.status).toBe(201)
  const { token, id } = (await made.json()) as { token: string; id: string }
  const secret = token.slice(21)
  expect(secret).toHaveLength(43)
  const listed = await (await fresh.call(admin, 'GET /v1/tokens')).text()
  expect(listed).toContain(id)
  const documents = JSON.stringify((await fresh.platform.documents.list('token', '')).documents)
  for (const text of [listed, documents]) expect(text).not.toContain(secret)
  const me = await fresh.call(token, 'GET /v1/whoami')
  expect(await me.json()).toMatchObject({ name: 'ci', role: 'preview', stacks: ['shop/*'] })
  await fresh.close()
})

test('a body above the size limit is refused, with or without its length in the header', async () => {
  const token = await api.issueToken('deploy')
  const large = { command: 'up', message: 'x'.repeat(apiLimits.bodyBytesMax) }
  const withLength = await api.call(token, `POST ${shopPath}/deployments`, large)
  expect(withLength.status).toBe(413)
  const chunk = new Uint8Array(64 * 1024)
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1
      if (sent > 1_000) controller.close()
      else controller.enqueue(chunk)
    },
  })
  const withoutLength = await api.app.request(`${shopPath}/deployments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body,
    duplex: 'half',
  })
  expect(withoutLength.status).toBe(413)
  expect(sent).toBeLessThan(10)
})

test('an error names the invalid part of the request, and no path parameter can contain a slash', async () => {
  const token = await api.issueToken('admin')
  const cases = [
    [`POST ${shopPath}/deployments`, { command: 'nonsense' }, 400, 'body.command'],
    [`POST ${shopPath}/deployments`, { command: 'up', more: 1 }, 400, 'more'],
    [`GET ${shopPath}/deployments?limit=100000`, undefined, 400, 'query.limit'],
    [`GET ${shopPath}/deployments?cursor=-5`, undefined, 400, "'-5'"],
    ['GET /v1/stacks/shop%2Fdev/x', undefined, 400, 'project'],
    ['GET /v1/stacks/shop/..%2F..', undefined, 400, 'stack'],
    [`GET ${shopPath}/deployments/0`, undefined, 400, 'number'],
    ['GET /v1/nothing', undefined, 404, '/v1/nothing'],
    ['GET /v1/stacks/shop/none', undefined, 404, 'none'],
    [`GET ${shopPath}/deployments/7`, undefined, 404, '7'],
    [`GET ${shopPath}/requests/none`, undefined, 404, 'none'],
  ] as const
  for (const [requestLine, body, status, mention] of cases) {
    const response = await api.call(token, requestLine, body)
    const { code, message, hint } = (await response.json()) as Record<string, string>
    expect([requestLine, response.status]).toEqual([requestLine, status])
    expect(message).toContain(mention)
    expect(`${code}${hint}`).not.toContain('undefined')
  }
  const response = await api.app.request(`${shopPath}/deployments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: '{"command"',
  })
  expect(response.status).toBe(400)
})

test('responses have security headers, and none that allow other origins to read them', async () => {
  const token = await api.issueToken('read')
  const response = await api.call(token, 'GET /v1/whoami', undefined, {
    origin: 'https://evil.test',
  })
  const headers = Object.fromEntries(response.headers)
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'referrer-policy': 'no-referrer',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
  })
  expect(Object.keys(headers).filter(name => name.startsWith('access-control'))).toEqual([])
})

test('every change is in the audit log before it is made, without any secret', async () => {
  const admin = await api.issueToken('admin')
  const reader = await api.issueToken('read')
  const secret = 'do not tell this secret'
  await api.call(admin, 'POST /v1/stacks/audit/one', undefined)
  await api.call(admin, `POST ${shopPath}/deployments`, { command: 'up', message: secret })
  await api.call(reader, 'DELETE /v1/stacks/audit/one')
  const page = await api.call(admin, 'GET /v1/audit?limit=6')
  const text = await page.text()
  const { items } = JSON.parse(text) as { items: { kind: string; what: string; status?: number }[] }
  expect(items.map(({ kind, what, status }) => [kind, what, status]).toReversed()).toEqual([
    ['asked', 'POST /v1/stacks/audit/one', undefined],
    ['answered', 'POST /v1/stacks/audit/one', 201],
    ['asked', `POST ${shopPath}/deployments`, undefined],
    ['answered', `POST ${shopPath}/deployments`, 202],
    ['asked', 'DELETE /v1/stacks/audit/one', undefined],
    ['answered', 'DELETE /v1/stacks/audit/one', 403],
  ])
  for (const hidden of [secret, admin.slice(21), reader.slice(21)])
    expect(text).not.toContain(hidden)
  expect(items[0]).toMatchObject({ from: '192.0.2.7', who: expect.stringContaining('read (') })
})

test('a change without an audit entry is not made', async () => {
  const failing = await openTestApi()
  const append = async (): Promise<never> => {
    throw new Error('the disk is full')
  }
  const { createApi } = await import('./create-api.ts')
  const app = createApi({
    ports: {
      ...failing.platform,
      audit: { ...failing.platform.audit, append },
      execute: 'here',
      addresses: {},
      outbound: createOutbound(),
    },
    addressOf: () => '',
  })
  const token = await failing.issueToken('admin')
  const headers = { authorization: `Bearer ${token}` }
  const response = await app.request('/v1/stacks/a/b', { method: 'POST', headers })
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('disk')
  expect(await failing.platform.catalog.getStack('organization/a/b' as never)).toBeUndefined()
  await failing.close()
})

test('too many requests are refused, by address and by token', async () => {
  const lowRate = { burst: 3, perSecond: 0.001 }
  const highRate = { burst: 1_000, perSecond: 1 }
  for (const rates of [
    { address: lowRate, token: highRate },
    { address: highRate, token: lowRate },
  ]) {
    const limited = await openTestApi({ rates })
    const token = await limited.issueToken('read')
    const statuses = []
    for (let call = 0; call < 5; call += 1) {
      const response = await limited.call(token, 'GET /v1/whoami')
      statuses.push(response.status)
      if (response.status === 429)
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(1)
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    // The limit of one token does not apply to another token.
    if (rates.token === lowRate)
      expect((await limited.call(await limited.issueToken('read'), 'GET /v1/whoami')).status).toBe(
        200,
      )
    await limited.close()
  }
})

test('the OpenAPI document contains every route, with the schemas that validate requests', async () => {
  const response = await api.app.request('/openapi.json')
  const document = (await response.json()) as {
    openapi: string
    paths: Record<
      string,
      Record<string, { requestBody?: object; responses: object; parameters?: object[] }>
    >
  }
  expect(document.openapi).toBe('3.1.0')
  for (const { method, path } of routes)
    expect(document.paths[path]?.[method.toLowerCase()]?.responses).toBeDefined()
  const postDeployment = document.paths['/v1/stacks/{project}/{stack}/deployments']?.['post']
  expect(JSON.stringify(postDeployment?.requestBody)).toContain(
    '"enum":["up","refresh","destroy","import"]',
  )
  const groupHeader = expect.objectContaining({ name: 'antichain-group', in: 'header' })
  expect(document.paths['/v1/plugins']?.['get']?.parameters).toContainEqual(groupHeader)
  expect(document.paths['/v1/tokens']?.['get']?.parameters).not.toContainEqual(groupHeader)
})

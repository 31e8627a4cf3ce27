import { afterEach, expect, test } from 'vitest'
import { deploymentIdOf } from '../../shared/records/ids.ts'
import { openTestApi, shop, shopPath, type TestApi } from './api.fixture.ts'

let api: TestApi | undefined
afterEach(() => api?.close())

test('a waiting request can be withdrawn with the role that its kind needs, and one that has begun cannot', async () => {
  api = await openTestApi()
  const { call, issueToken, platform } = api
  const [deploy, preview] = [await issueToken('deploy'), await issueToken('preview')]
  const put = async (key: string, kind: 'deployments' | 'previews') => {
    const headers = { 'idempotency-key': key }
    await call(deploy, `POST ${shopPath}/${kind}`, { command: 'up' }, headers)
  }
  await put('first', 'deployments')
  await put('second', 'deployments')
  await put('look', 'previews')
  expect((await call(preview, `DELETE ${shopPath}/requests/first`)).status).toBe(403)
  const withdrawn = await call(deploy, `DELETE ${shopPath}/requests/first`)
  expect(await withdrawn.json()).toMatchObject({
    end: { kind: 'refused', code: 'DEPLOYMENT_CANCELLED' },
  })
  expect((await call(preview, `DELETE ${shopPath}/requests/look`)).status).toBe(200)
  const waiting = await platform.requests.listWaiting(shop, 10)
  expect(waiting.map(({ key }) => key)).toEqual(['second'])
  const deployment = deploymentIdOf(shop, 1)
  await platform.requests.end(shop, 'second', { kind: 'started', deployment })
  const late = await call(deploy, `DELETE ${shopPath}/requests/second`)
  expect(late.status).toBe(409)
  expect(await late.json()).toMatchObject({
    code: 'REQUEST_BEGUN',
    message: `the request 'second' is no longer waiting: it started ${deployment}`,
    hint: expect.any(String),
    key: 'second',
    end: { kind: 'started', deployment },
  })
  expect((await call(deploy, `DELETE ${shopPath}/requests/first`)).status).toBe(200)
  expect((await call(deploy, `DELETE ${shopPath}/requests/unknown`)).status).toBe(404)
})

test('the OpenAPI document describes the response to a withdrawal that came too late', async () => {
  api = await openTestApi()
  const document = (await (await api.app.request('/openapi.json')).json()) as {
    paths: Record<string, { delete?: { responses: Record<string, object> } }>
  }
  const path = '/v1/stacks/{project}/{stack}/requests/{key}'
  const late = document.paths[path]?.delete?.responses['409']
  for (const field of ['code', 'message', 'hint', 'key', 'end'])
    expect(late).toHaveProperty(['content', 'application/json', 'schema', 'properties', field])
})

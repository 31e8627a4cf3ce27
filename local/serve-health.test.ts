import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { apiLimits } from '../shared/config/api-limits.ts'
import { createToken } from '../shared/api/issue-token.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../shared/platform/embedded/embedded-platform.ts'
import { type EpochMs, stackIdOf } from '../shared/records/ids.ts'
import { createApiPorts, serveApi, type ServedApi } from './serve-api.ts'

const stack = stackIdOf('shop', 'dev')
let folder = ''
let platform: EmbeddedPlatform
let api: ServedApi

/** Serves a store with a stack that was deployed once. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-health-'))
  platform = await openEmbeddedPlatform({ home: folder })
  await platform.catalog.createStack(stack, platform.clock.now())
  const { deployment } = await platform.catalog.start(stack, {
    at: 1_000 as EpochMs,
    command: 'up',
    message: 'password hunter2',
    config: { 'shop:key': 'hunter2' },
  })
  await platform.catalog.release(deployment, {
    at: 3_500 as EpochMs,
    result: 'succeeded',
    version: 0,
    changes: { create: 2, same: 1 },
  })
  api = await serveApi(createApiPorts(platform, undefined), { host: '127.0.0.1', port: 0 })
})

afterEach(async () => {
  await api.close()
  await platform.close()
  rmSync(folder, { recursive: true })
})

const get = (path: string, token?: string): Promise<Response> =>
  fetch(`${api.url}${path}`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })

test('health and readiness need no token, and readiness fails when the store is closed', async () => {
  expect(await (await get('/health')).json()).toEqual({ status: 'ok' })
  expect(await (await get('/ready')).json()).toEqual({ status: 'ready' })
  await platform.close()
  const response = await get('/ready')
  expect(response.status).toBe(503)
  expect(await response.json()).toEqual({ status: 'the store does not answer' })
  expect((await get('/health')).status).toBe(200)
})

test('metrics need a token of all stacks, contain no message or configuration, and include each metric of the Grafana file', async () => {
  const { token } = await createToken(platform, { name: 'prometheus', role: 'read', days: 1 })
  const limited = await createToken(platform, {
    name: 'one',
    role: 'admin',
    days: 1,
    stacks: ['shop/dev'],
  })
  expect((await get('/metrics')).status).toBe(401)
  expect((await get('/metrics', `${token}x`)).status).toBe(401)
  expect((await get('/metrics', limited.token)).status).toBe(403)
  const response = await get('/metrics', token)
  expect(response.headers.get('content-type')).toContain('version=0.0.4')
  const text = await response.text()
  expect(text).toContain('# TYPE antichain_stacks gauge\nantichain_stacks 1\n')
  expect(text).toContain(
    'antichain_last_deployment_success{project="shop",stack="dev",command="up"} 1',
  )
  expect(text).toContain(
    'antichain_last_deployment_operations{project="shop",stack="dev",operation="create"} 2',
  )
  expect(text).toContain('duration_seconds{project="shop",stack="dev"} 2.5')
  expect(text).toContain('antichain_dead_notifications 0')
  expect(text).toContain('process_resident_memory_bytes')
  expect(text).not.toContain('hunter2')
  const file = join(import.meta.dirname, '../docs/grafana-dashboard.json')
  const shown = new Set(readFileSync(file, 'utf8').match(/\b(antichain|process)_\w+/g))
  for (const name of shown) expect(text).toContain(`# TYPE ${name} `)
})

test('readiness checks count towards the limit of the API, and do not list the stacks', async () => {
  const listStacks = vi.spyOn(platform.catalog, 'listStacks')
  const ports = createApiPorts(platform, undefined)
  const limited = await serveApi(ports, { host: '127.0.0.1', port: 0 })
  const statuses: number[] = []
  for (let count = 0; count <= apiLimits.addressBurst * 2; count += 1) {
    const response = await fetch(`${limited.url}${count % 2 === 0 ? '/ready' : '/v1/stacks'}`)
    statuses.push(response.status)
    if (response.status === 429) break
  }
  expect(statuses.at(-1)).toBe(429)
  expect(statuses.length).toBeLessThan(apiLimits.addressBurst * 2)
  expect(listStacks).not.toHaveBeenCalled()
  await limited.close()
})

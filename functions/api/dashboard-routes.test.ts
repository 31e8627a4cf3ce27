import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Hono } from 'hono'
import { afterEach, expect, test } from 'vitest'
import { addDashboardRoutes } from './dashboard-routes.ts'
import { readDashboardFiles } from '../../shared/runtime/environment/read-dashboard-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'antichain-dashboard-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('without a built page there are no files, and with one each file has a route of its own', async () => {
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'assets', 'page-1a2b.js'), 'void 0')
  expect(readDashboardFiles([folder])).toBeUndefined()
  writeFileSync(join(folder, 'index.html'), '<p>page</p>')
  writeFileSync(join(folder, 'notes.txt'), 'not served')
  const files = readDashboardFiles([folder])
  expect([...(files?.keys() ?? [])].toSorted()).toEqual(['/', '/assets/page-1a2b.js'])
  const app = new Hono()
  let requestCount = 0
  addDashboardRoutes(app, files ?? new Map(), () => (requestCount += 1))
  const page = await app.request('/')
  expect([await page.text(), page.headers.get('cache-control')]).toEqual([
    '<p>page</p>',
    'no-store',
  ])
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  const script = await app.request('/assets/page-1a2b.js')
  expect(script.headers.get('cache-control')).toContain('immutable')
  expect(script.headers.get('content-type')).toContain('text/javascript')
  expect(requestCount).toBe(2)
  for (const path of [
    '/notes.txt',
    '/assets',
    '/assets/../index.html/',
    '/assets/%2e%2e/notes.txt',
  ])
    expect((await app.request(path)).status).toBe(404)
})

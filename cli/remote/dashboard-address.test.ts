import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { findDashboard } from './dashboard-address.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** Serves a dashboard, and an identity that names the public address `dashboard`. */
async function serveDashboard(dashboard?: string): Promise<string> {
  const server = createServer(({ url }, response) => {
    if (url === '/') response.setHeader('content-type', 'text/html').end('<html>')
    else response.setHeader('content-type', 'application/json').end(JSON.stringify({ dashboard }))
  })
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('the dashboard is at the public address that the server names', async () => {
  const publicUrl = await serveDashboard()
  const url = await serveDashboard(publicUrl)
  expect(await findDashboard({ url, token: 'act_x' })).toBe(publicUrl)
})

test('the dashboard is at the address of the login if no other address serves it', async () => {
  const loginUrl = await serveDashboard()
  expect(await findDashboard({ url: loginUrl, token: 'act_x' })).toBe(loginUrl)
  // No server listens at port 9.
  const url = await serveDashboard('http://127.0.0.1:9')
  expect(await findDashboard({ url, token: 'act_x' })).toBe(url)
  expect(await findDashboard({ url: 'http://127.0.0.1:9', token: 'act_x' })).toBeUndefined()
})

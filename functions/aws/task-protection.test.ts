import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createTaskProtection } from './task-protection.ts'

/**
 * Sets and removes the protection of a task, whose agent responds with a status. Returns the
 * agent's requests and the log.
 */
async function protectWithAgent(status: number) {
  const requests: string[] = []
  const logged: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests.push(`${request.method} ${request.url} ${Buffer.concat(chunks).toString()}`)
      response.writeHead(status).end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const env = { ECS_AGENT_URI: `http://127.0.0.1:${port}/api/id` }
  const protection = createTaskProtection(env, {
    write: (_level, event) => void logged.push(event),
  })
  try {
    await protection.set(true)
    await protection.set(false)
  } finally {
    server.close()
  }
  return { requests, logged }
}

test('a task is protected while it works', async () => {
  const { requests, logged } = await protectWithAgent(200)
  expect(requests).toEqual([
    'PUT /api/id/task-protection/v1/state {"ProtectionEnabled":true,"ExpiresInMinutes":2880}',
    'PUT /api/id/task-protection/v1/state {"ProtectionEnabled":false}',
  ])
  expect(logged).toEqual([])
})

test('an agent that refuses is logged, and the work continues', async () => {
  expect((await protectWithAgent(500)).logged).toEqual(['task.unprotected', 'task.unprotected'])
})

test('outside of ECS no request is sent, so no failure is logged', async () => {
  const logged: string[] = []
  await createTaskProtection({}, { write: (_level, event) => void logged.push(event) }).set(true)
  expect(logged).toEqual([])
})

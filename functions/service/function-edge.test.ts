import { randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { gzipSync } from 'node:zlib'
import type { Hono } from 'hono'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { answerEvent, type ResponseHead } from '../aws/function-url.ts'
import { entryOf, openTestService, type TestService } from './service.fixture.ts'

// Calls as Lambda passes them to the function: a packed body arrives as base64.

/** Maximum size of an event of Lambda. */
const eventBytesMax = 6 * 1024 * 1024

let service: TestService
let app: Hono
beforeEach(async () => {
  service = await openTestService()
  app = service.openApp()
})
afterEach(() => service.close())

/** Answers a call whose body is packed as by clients. Returns the size of its event too. */
async function send(requestLine: string, authorization: string, body: object) {
  const [method = '', rawPath = ''] = requestLine.split(' ')
  const event = {
    ...{ version: '2.0', rawPath, isBase64Encoded: true },
    headers: { authorization, 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify(body)).toString('base64'),
    requestContext: { http: { method, sourceIp: '192.0.2.7' } },
  }
  let head: ResponseHead | undefined
  const stream = new PassThrough()
  const text = stream.toArray().then(parts => Buffer.concat(parts as Buffer[]).toString())
  await answerEvent(app, event, responseHead => {
    head = responseHead
    return stream
  })
  return {
    eventBytes: JSON.stringify(event).length,
    status: head?.statusCode,
    json: JSON.parse(await text) as Record<string, unknown>,
  }
}

/** Returns the entry of a created component with an input. */
function createEntry(index: number, text: string): object {
  const urn = `urn:pulumi:dev::shop::my:index:Group::group-${index}`
  const state = { urn, custom: false, type: 'my:index:Group', inputs: { text } }
  return entryOf(1, index, { operationID: index, state })
}

test('a batch that is too large once unpacked is refused with the code 413, and a smaller part of it is stored', async () => {
  const admin = `token ${await service.issueToken('admin')}`
  const { path, lease } = await service.startUpdate(admin)
  const entries = [createEntry(1, 'x'.repeat(65 * 1024 * 1024)), createEntry(2, 'y')]
  const journal = `PATCH ${path}/journalentries`
  // Clients split a batch only if the body of the reply has this code.
  expect(await send(journal, lease, { entries })).toMatchObject({
    ...{ status: 413, json: { code: 413, message: expect.stringContaining('limit') as string } },
  })
  const part = { entries: entries.slice(1) }
  expect(await send(journal, lease, part)).toMatchObject({ status: 200 })
})

test('a batch just below the size limit of an event is stored', async () => {
  const admin = `token ${await service.issueToken('admin')}`
  const { path, lease } = await service.startUpdate(admin)
  // Random text hardly gets smaller, so the packed body has almost the size of the bytes.
  const entries = [createEntry(1, randomBytes(4_400_000).toString('base64'))]
  const stored = await send(`PATCH ${path}/journalentries`, lease, { entries })
  expect(stored.status).toBe(200)
  expect(stored.eventBytes).toBeLessThan(eventBytesMax)
  expect(stored.eventBytes).toBeGreaterThan(0.9 * eventBytesMax)
})

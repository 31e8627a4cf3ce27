/** The local cloud streams the response of a function as a function URL of Lambda does. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Environment,
  type InvocationOutcome,
  startEnvironment,
} from '../../infra/local-cloud/environment.ts'
import { type HttpListener, startHttpListener } from '../../infra/local-cloud/http-listener.ts'
import { streamReply } from '../../infra/local-cloud/streamed-reply.ts'
import {
  startSupervisor,
  type Supervisor,
} from '../../shared/platform/system/process-supervisor.ts'
import { waitUntil } from '../e2e/sandbox.ts'

const handlers = `
let gone = 0
const sleep = ms => new Promise(done => setTimeout(done, ms))
export const handler = awslambda.streamifyResponse(async (event, stream, context) => {
  const what = event.rawPath
  if (what === '/early') throw new TypeError('before anything')
  if (what === '/plain') { stream.setContentType('text/x-plain'); stream.end('plain'); return }
  const head = { statusCode: 201, headers: { 'X-Gone': String(gone), 'x-id': context.awsRequestId } }
  const out = awslambda.HttpResponseStream.from(stream, head)
  if (what === '/empty') { out.end(); return }
  out.write('first;')
  if (what === '/late') { await sleep(50); throw new RangeError('in the middle') }
  if (what === '/exit') { await sleep(50); process.exit(3) }
  if (what === '/long') {
    out.once('close', () => { gone += 1 })
    while (!out.destroyed) { out.write('x'.repeat(100)); await sleep(20) }
    return
  }
  await sleep(100)
  out.end(event.body ?? 'second')
})
`

describe('a function that streams', () => {
  let root: string
  let supervisor: Supervisor
  let environment: Environment
  let listener: HttpListener
  const outcomes: InvocationOutcome[] = []
  const start = async (): Promise<void> => {
    environment = await startEnvironment({
      name: 'streams',
      arn: 'arn:aws:lambda:us-east-1:000000000000:function:streams',
      bundleFolder: join(root, 'code'),
      folder: join(root, 'environment'),
      memoryMb: 512,
      variables: {},
      supervisor,
      onLine: () => undefined,
    })
  }
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'antichain-streaming-'))
    mkdirSync(join(root, 'code'))
    writeFileSync(join(root, 'code', 'main.mjs'), handlers)
    supervisor = startSupervisor()
    await start()
    const invoke = (event: unknown, signal: AbortSignal) =>
      streamReply(async onStreamedAnswer => {
        const outcome = await environment.invoke(event, 20_000, { onStreamedAnswer })
        outcomes.push(outcome)
        return outcome
      }, signal)
    listener = await startHttpListener({
      port: 0,
      routeKey: '$default',
      invoke,
      onFailure: () => undefined,
    })
  })
  afterAll(async () => {
    await listener.close()
    environment.kill('the test is over')
    await environment.endReason
    await supervisor.close()
    rmSync(root, { recursive: true, force: true })
  })
  const sendRequest = (path: string, body?: string) =>
    fetch(`${listener.url}${path}`, body === undefined ? {} : { method: 'POST', body })

  test('is read in pieces, with its status and headers', async () => {
    const response = await sendRequest('/', 'ünd')
    expect(response.status).toBe(201)
    expect(response.headers.get('x-id')).toMatch(/^[0-9a-f-]{36}$/)
    const pieces: string[] = []
    for await (const piece of response.body ?? []) pieces.push(Buffer.from(piece).toString())
    expect(pieces[0]).toBe('first;')
    expect(pieces.join('')).toBe('first;ünd')
  })

  test('may respond without a head, or without a body', async () => {
    const plain = await sendRequest('/plain')
    expect(plain.headers.get('content-type')).toBe('text/x-plain')
    expect(await plain.text()).toBe('plain')
    const emptyResponse = await sendRequest('/empty')
    expect([emptyResponse.status, await emptyResponse.text()]).toEqual([201, ''])
  })

  test('has status 500 if it throws before its first byte, and a cut response if it throws later', async () => {
    expect((await sendRequest('/early')).status).toBe(500)
    expect(outcomes.at(-1)).toEqual({ kind: 'failed', reason: 'TypeError: before anything' })
    const late = await sendRequest('/late')
    expect(late.status).toBe(201)
    await expect(late.text()).rejects.toThrow()
    expect(outcomes.at(-1)).toEqual({ kind: 'failed', reason: 'RangeError: in the middle' })
    expect((await sendRequest('/')).status).toBe(201)
  })

  test('is notified when its reader disconnects, and serves the next one', async () => {
    const reader = new AbortController()
    const response = await fetch(`${listener.url}/long`, { signal: reader.signal })
    await response.body?.getReader().read()
    const before = outcomes.length
    reader.abort()
    await waitUntil(() => outcomes.length > before, { condition: 'the end of the call' })
    expect(outcomes.at(-1)).toEqual({ kind: 'failed', reason: 'its response was not read' })
    const next = await sendRequest('/')
    expect(await next.text()).toBe('first;second')
    expect((await sendRequest('/empty')).headers.get('x-gone')).toBe('1')
  })

  test('that dies during its response leaves an incomplete response', async () => {
    const response = await sendRequest('/exit')
    await expect(response.text()).rejects.toThrow()
    await waitUntil(() => outcomes.at(-1)?.kind === 'died', {
      condition: 'the end of the environment',
    })
    await start()
  })
})

import { createHash } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { archiveNameOf } from '../../shared/records/archive-name.ts'
import {
  type BlobHash,
  deploymentIdOf,
  previewIdOf,
  type EpochMs,
} from '../../shared/records/ids.ts'
import { createOutbound } from '../../shared/triggers/outbound/outbound.ts'
import { openTestApi, shop, shopPath, type TestApi } from './api.fixture.ts'
import { streamDeployment, createStreamPosition, type StreamMessage } from './event-stream.ts'

let api: TestApi | undefined

afterEach(async () => {
  await api?.close()
  api = undefined
})

async function openWithTokens(): Promise<
  TestApi & { readonly deploy: string; readonly read: string }
> {
  api = await openTestApi()
  const [deploy, read] = [await api.issueToken('deploy'), await api.issueToken('read')]
  return { ...api, deploy, read }
}

const program = Buffer.from('a packed program')
const hashOf = (bytes: Uint8Array): BlobHash =>
  createHash('sha256').update(bytes).digest('hex') as BlobHash

const holder = { host: 'here', pid: 7, started: '1', who: 'a test' }

/** Starts deployment 1 of the shop with some events. */
async function startDeploymentWith({ platform }: TestApi, lines: readonly string[]) {
  const launch = { command: 'up', message: 'first', at: 1 as EpochMs } as const
  const { deployment } = await platform.catalog.start(shop, launch)
  await platform.control.create(deployment, holder)
  await platform.events.append(deployment, 'w', 0, lines)
  return deployment
}

const line = (message: string): string => JSON.stringify({ stdoutEvent: { message, color: 'raw' } })
const summary = JSON.stringify({ summaryEvent: { result: 'succeeded', resourceChanges: {} } })

/** A message of a stream. */
interface StreamedMessage {
  readonly event: string
  readonly id: string
  readonly data: unknown
}

/** Returns the messages of a stream. */
async function messagesOf(response: Response): Promise<StreamedMessage[]> {
  return (await response.text()).split('\n\n').flatMap(text => {
    const readField = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? ''
    if (readField('event') === '') return []
    return [{ event: readField('event'), id: readField('id'), data: JSON.parse(readField('data')) }]
  })
}

test('a program is uploaded and stored under its hash, and other bytes are refused', async () => {
  const { call, deploy, read, platform } = await openWithTokens()
  const bytes = Buffer.from('a packed program')
  const archive = hashOf(bytes)
  const tooLarge = await call(deploy, `POST ${shopPath}/programs`, { archive, bytes: 1e12 })
  expect([tooLarge.status, (await tooLarge.json()) as object]).toMatchObject([
    413,
    { code: 'ARCHIVE_TOO_LARGE', message: expect.stringContaining('1000000000000 bytes') },
  ])
  const address = await call(deploy, `POST ${shopPath}/programs`, { archive, bytes: bytes.length })
  expect(await address.json()).toEqual({
    url: `${shopPath}/programs/${archive}`,
    headers: {},
    isThere: false,
  })
  expect((await call(deploy, `PUT ${shopPath}/programs/${archive}`, bytes)).status).toBe(201)
  const name = archiveNameOf(shop, archive)
  expect(Buffer.from(await platform.archives.get(shop, name))).toEqual(bytes)
  const other = await call(deploy, `PUT ${shopPath}/programs/${archive}`, Buffer.from('other'))
  expect([other.status, (await other.json()) as object]).toMatchObject([
    400,
    { code: 'UPLOAD_DIFFERS' },
  ])
  expect(await (await call(read, `GET ${shopPath}/program`)).json()).toEqual({ archive: null })
  expect((await call(deploy, `PUT ${shopPath}/program`, { archive })).status).toBe(200)
  expect(await (await call(read, `GET ${shopPath}/program`)).json()).toEqual({ archive })
  const unknown = { archive: 'f'.repeat(64) }
  expect((await call(deploy, `PUT ${shopPath}/program`, unknown)).status).toBe(404)
})

test('an API that does not receive uploads itself returns the address for them', async () => {
  const address = { url: 'https://bucket.test/x?signed', headers: { 'x-sum': 'y' }, isThere: false }
  api = await openTestApi()
  const { createApi } = await import('./create-api.ts')
  const app = createApi({
    ports: {
      ...api.platform,
      execute: 'functions',
      addresses: {},
      outbound: createOutbound(),
      uploads: { createAddress: async () => address, createPluginAddress: async () => address },
    },
    addressOf: () => '',
  })
  const response = await app.request(`${shopPath}/programs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await api.issueToken('deploy')}` },
    body: JSON.stringify({ archive: 'a'.repeat(64), bytes: 5 }),
  })
  expect(await response.json()).toEqual(address)
})

test('a repeated request gets the same response and is queued once, and another one with its key is refused', async () => {
  const { call, deploy, platform } = await openWithTokens()
  const name = await platform.archives.put(shop, program)
  const archive = hashOf(program)
  const up = { command: 'up', archive, message: 'hello' }
  const headers = { 'idempotency-key': 'push-1' }
  for (const _ of [1, 2]) {
    const response = await call(deploy, `POST ${shopPath}/deployments`, up, headers)
    expect(response.status).toBe(202)
    expect(await response.json()).toMatchObject({ key: 'push-1', command: 'up', dryRun: false })
  }
  expect(await platform.requests.listWaiting(shop, 10)).toMatchObject([
    {
      key: 'push-1',
      by: 'deploy (API)',
      program: { kind: 'archive', archive: name },
      options: { command: 'up', execute: 'here', message: 'hello' },
    },
  ])
  expect(await platform.requests.getProgram(shop)).toBe(name)
  expect(await platform.nudges.receive(0)).toBe(shop)
  const destroyBody = { command: 'destroy' }
  const taken = await call(deploy, `POST ${shopPath}/deployments`, destroyBody, headers)
  expect(taken.status).toBe(409)
  const bad = await call(deploy, `POST ${shopPath}/deployments`, destroyBody, {
    'idempotency-key': 'a b',
  })
  expect(bad.status).toBe(400)
})

test('a full queue refuses requests, and a preview does not set the program of its stack', async () => {
  const { call, deploy, platform } = await openWithTokens()
  await platform.archives.put(shop, program)
  const archive = hashOf(program)
  await call(deploy, `POST ${shopPath}/previews`, { command: 'up', archive })
  expect(await platform.requests.getProgram(shop)).toBeUndefined()
  for (let count = 1; count < 100; count += 1)
    await call(deploy, `POST ${shopPath}/deployments`, { command: 'refresh' })
  const full = await call(deploy, `POST ${shopPath}/deployments`, { command: 'refresh' })
  expect(full.status).toBe(429)
  const { items } = (await (await call(deploy, `GET ${shopPath}/requests`)).json()) as {
    items: { dryRun: boolean }[]
  }
  expect(items).toHaveLength(100)
  expect(items[0]?.dryRun).toBe(true)
})

test('the deployments of a stack are paged, newest first', async () => {
  const { call, read, platform } = await openWithTokens()
  for (let number = 1; number <= 5; number += 1) {
    const { deployment } = await platform.catalog.start(shop, {
      command: 'refresh',
      message: `m${number}`,
      at: number as EpochMs,
    })
    const end = { at: number as EpochMs, result: 'succeeded', changes: {}, version: 0 } as const
    await platform.catalog.release(deployment, end)
  }
  const numbers: number[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = await call(read, `GET ${shopPath}/deployments?limit=2&cursor=${cursor}`)
    const { items, next } = (await page.json()) as { items: { number: number }[]; next?: string }
    numbers.push(...items.map(({ number }) => number))
    cursor = next
  }
  expect(numbers).toEqual([5, 4, 3, 2, 1])
  const one = await call(read, `GET ${shopPath}/deployments/3`)
  expect(await one.json()).toMatchObject({ number: 3, message: 'm3', result: 'succeeded' })
})

test('an open deployment is stopped gracefully or by force, and its stack gets a nudge', async () => {
  const all = await openWithTokens()
  const deployment = await startDeploymentWith(all, [])
  const cancel = (force: boolean) =>
    all.call(all.deploy, `POST ${shopPath}/deployments/1/cancel`, { force })
  expect(await (await cancel(false)).json()).toEqual({ kind: 'asked', number: 1 })
  expect(await (await cancel(false)).json()).toEqual({ kind: 'asked before', number: 1 })
  expect((await all.platform.control.read(deployment))?.stop).toBe('graceful')
  expect(await (await cancel(true)).json()).toEqual({ kind: 'asked', number: 1 })
  expect((await all.platform.control.read(deployment))?.stop).toBe('forced')
  expect(await all.platform.nudges.receive(0)).toBe(shop)
  const redrive = await all.call(all.deploy, `POST ${shopPath}/deployments/1/redrive`)
  expect(await redrive.json()).toEqual({ kind: 'stopped' })
  const resume = await all.call(all.deploy, `POST ${shopPath}/deployments/1/resume`)
  expect(resume.status).toBe(202)
})

test('a stream yields every event once, and continues after the last id that its reader received', async () => {
  const all = await openWithTokens()
  const lines = Array.from({ length: 450 }, (_, at) => line(`line ${at}`))
  const deployment = await startDeploymentWith(all, lines)
  await all.platform.events.append(deployment, 'w', 450, [summary])
  const end = { at: 2 as EpochMs, result: 'succeeded', changes: { create: 3 }, version: 0 } as const
  await all.platform.catalog.release(deployment, end)
  const path = `GET ${shopPath}/deployments/1/stream`
  const whole = await all.call(all.read, path)
  expect(whole.headers.get('content-type')).toBe('text/event-stream')
  const messages = await messagesOf(whole)
  const eventsOf = (some: typeof messages) =>
    some.flatMap(({ event, data }) => (event === 'events' ? (data as object[]) : []))
  expect(eventsOf(messages)).toEqual([...lines, summary].map(text => JSON.parse(text)))
  expect(messages.at(-1)).toMatchObject({
    event: 'end',
    data: { kind: 'deployed', result: 'succeeded', changes: { create: 3 }, pending: [] },
  })
  const first = messages[0]
  const rest = await messagesOf(
    await all.call(all.read, path, undefined, { 'last-event-id': first?.id }),
  )
  expect([...((first?.data as object[]) ?? []), ...eventsOf(rest)]).toEqual(eventsOf(messages))
})

test('a stream follows a running deployment, and ends with it', async () => {
  const all = await openWithTokens()
  const deployment = await startDeploymentWith(all, [line('one')])
  const stream = await all.call(all.read, `GET ${shopPath}/deployments/1/stream`)
  const reading = messagesOf(stream)
  await new Promise(done => setTimeout(done, 500))
  await all.platform.events.append(deployment, 'w', 1, [line('two')])
  const end = { at: 2 as EpochMs, result: 'failed', changes: {}, version: 0 } as const
  await all.platform.catalog.release(deployment, end)
  // The last events may be stored after the end.
  await all.platform.events.append(deployment, 'w', 2, [summary])
  const messages = await reading
  const events = messages.filter(({ event }) => event === 'events').flatMap(({ data }) => data)
  expect(events).toHaveLength(3)
  expect(messages.at(-1)).toMatchObject({ event: 'end', data: { result: 'failed' } })
})

test('an idle stream sends heartbeats, and ends at its time limit', async () => {
  const all = await openWithTokens()
  await startDeploymentWith(all, [])
  let nowMs = 0
  const clock = {
    ...all.platform.clock,
    monotonicMs: () => nowMs,
    sleep: async (ms: number) => void (nowMs += ms),
  }
  const position = createStreamPosition(
    { ...all.platform, clock, execute: 'here', addresses: {}, outbound: createOutbound() },
    { isTokenValid: async () => true },
    '',
  )
  const messages: StreamMessage[] = []
  for await (const message of streamDeployment(position, deploymentIdOf(shop, 1)))
    messages.push(message)
  expect(messages.at(-1)).toEqual({ event: 'again', data: {} })
  expect(messages.filter(({ event }) => event === 'alive').length).toBeGreaterThan(20)
  expect(nowMs).toBeLessThan(241_000)
})

test('a preview is followed from its request to its result', async () => {
  const all = await openWithTokens()
  const posted = await all.call(all.deploy, `POST ${shopPath}/previews`, { command: 'up' })
  const { key } = (await posted.json()) as { key: string }
  const reading = messagesOf(await all.call(all.read, `GET ${shopPath}/requests/${key}/stream`))
  await all.platform.events.append(previewIdOf(shop, key), 'p', 0, [line('hello'), summary])
  const previewEnd = {
    kind: 'previewed',
    result: 'succeeded',
    changes: { create: 1 },
    errors: [],
  } as const
  await all.platform.requests.end(shop, key, previewEnd)
  const messages = await reading
  expect(messages.map(({ event }) => event)).toEqual(['events', 'end'])
  expect(messages.at(-1)?.data).toEqual(previewEnd)
  // A preview is not a deployment, and its events are removed with its request.
  expect(await all.platform.retention.listDeployments()).toEqual([])
  await all.platform.requests.removeEnded(9e15 as EpochMs, 10)
  expect((await all.platform.events.read(previewIdOf(shop, key), 0, 1)).events).toEqual([])
})

test('a refused request contains its reason, in its stream and when it is read', async () => {
  const all = await openWithTokens()
  const posted = await all.call(all.deploy, `POST ${shopPath}/deployments`, { command: 'up' })
  const { key } = (await posted.json()) as { key: string }
  const end = { kind: 'refused', code: 'PROJECT_NOT_FOUND', message: 'no program' } as const
  await all.platform.requests.end(shop, key, end)
  const kept = await all.call(all.read, `GET ${shopPath}/requests/${key}`)
  expect(await kept.json()).toMatchObject({ key, end })
  const stream = await all.call(all.read, `GET ${shopPath}/requests/${key}/stream`)
  expect(await messagesOf(stream)).toEqual([{ event: 'end', id: '', data: end }])
})

test('a request may target some resources only, and is refused with an empty target', async () => {
  const { call, deploy, platform } = await openWithTokens()
  const targets = ['urn:pulumi:dev::shop::a:b:C::x', '**::web-*']
  const body = { command: 'up', targeting: { targets, targetDependents: true } }
  const answer = await call(deploy, `POST ${shopPath}/deployments`, body)
  expect(answer.status).toBe(202)
  const [request] = await platform.requests.listWaiting(shop, 10)
  const targeting = {
    targets,
    excludes: [],
    replaces: [],
    targetDependents: true,
    excludeDependents: false,
    excludeProtected: false,
  }
  expect(request).toMatchObject({ options: { targeting } })
  const wrong = { command: 'up', targeting: { targets: [''] } }
  expect((await call(deploy, `POST ${shopPath}/deployments`, wrong)).status).toBe(400)
})

test('an import has resources without plaintext secrets, and a preview of it needs the role deploy', async () => {
  const { call, deploy, platform, issueToken } = await openWithTokens()
  const secret = { '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270' }
  const imported = {
    type: 'a:b:C',
    name: 'x',
    id: 'x-1',
    parent: '',
    provider: '',
    version: '',
    pluginDownloadUrl: '',
    protect: true,
    isChosen: false,
    component: 'no',
    inputs: { password: { ...secret, ciphertext: 'v1:x' } },
  }
  const body = { command: 'import', imports: [imported] }
  const requestLine = `POST ${shopPath}/deployments`
  expect((await call(deploy, requestLine, body)).status).toBe(202)
  expect(await platform.requests.listWaiting(shop, 10)).toMatchObject([
    { options: { command: 'import', imports: [imported] } },
  ])
  const plain = { ...imported, inputs: { list: [{ ...secret, plaintext: '"hush"' }] } }
  for (const [wrong, at] of [
    [{ command: 'import' }, 'body.imports'],
    [{ command: 'up', imports: [imported] }, 'body.imports'],
    [{ command: 'import', imports: [] }, 'body.imports'],
    [{ command: 'import', imports: [plain] }, 'body.imports.0.inputs'],
    [{ command: 'import', imports: [{ ...imported, parent: 'x' }] }, 'body.imports.0.parent'],
  ] as const) {
    const refused = await call(deploy, requestLine, wrong)
    expect([refused.status, await refused.json()]).toMatchObject([400, { at }])
  }
  const preview = await issueToken('preview')
  expect((await call(preview, `POST ${shopPath}/previews`, body)).status).toBe(403)
  expect(await platform.requests.listWaiting(shop, 10)).toHaveLength(1)
})

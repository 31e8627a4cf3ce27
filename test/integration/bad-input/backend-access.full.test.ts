import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ErrorCode } from '../../../shared/errors/catalogue.ts'
import {
  type BadInputBench,
  closedAddress,
  createBadInputBench,
  recordedExport,
  toCheckpoint,
  writeCheckpoint,
} from './bad-input-bench.ts'

let bench: BadInputBench

beforeEach(() => {
  bench = createBadInputBench()
  writeCheckpoint(bench, toCheckpoint(recordedExport))
  bench.useBackend()
})

afterEach(() => bench.remove())

const upArgs = ['up', '-s', 'dev', '--yes', '--skip-preview']
const lsArgs = ['stack', 'ls']
const lockKey = '.pulumi/locks/organization/golden/dev/8c8a.json'
const writeLock = (content: string): void => bench.write(`backend/${lockKey}`, content)
const createLock = (timestamp: string, username = 'eve'): string =>
  JSON.stringify({ pid: 7, username, hostname: 'elsewhere', timestamp })

test.each([
  {
    what: 'of another machine',
    lock: createLock(new Date(Date.now() - 7_500_000).toISOString()),
    code: 'BACKEND_LOCKED',
    pattern: /locked by eve@elsewhere \(process 7\) since .*Z, 2 hours ago: dev/,
  },
  {
    what: 'with a time in the future',
    lock: createLock('2096-01-01T00:00:00Z'),
    code: 'BACKEND_LOCKED',
    pattern: /since 2096-01-01T00:00:00Z, which is later than the time of this machine/,
  },
  {
    what: 'with a time that is none',
    lock: createLock('yesterday'),
    code: 'BACKEND_LOCKED',
    pattern: /since yesterday, for an unknown time/,
  },
  {
    what: 'of a user whose name would change the terminal',
    lock: createLock('2026-01-01T00:00:00Z', 'e\u001b[31mve'),
    code: 'BACKEND_LOCKED',
    pattern: 'by e\\\\u\\{1b\\}\\[31mve@elsewhere',
  },
  {
    what: 'that is truncated',
    lock: '{"pid":',
    code: 'BACKEND_INVALID',
    pattern: `${lockKey} of the backend is not a lock`,
  },
] as const)('a deployment of a stack with a lock $what is refused', async row => {
  writeLock(row.lock)
  const pattern = new RegExp(row.pattern)
  await bench.refuse(upArgs, row.code, [pattern, 'antichain cancel'])
})

test('a lock refuses all changes of its stack, and no reads, until it is cancelled', async () => {
  writeLock(createLock('2026-01-01T00:00:00Z'))
  for (const args of [
    ['state', 'delete', 'urn:pulumi:dev::golden::gold:index:Thing::b', '-s', 'dev', '--yes'],
    ['stack', 'rm', 'dev', '--yes', '--force'],
    ['stack', 'import', '--from', `file://${bench.backend}/golden/dev`],
  ])
    await bench.refuse(args, 'BACKEND_LOCKED', ['locked by eve@elsewhere'])
  expect((await bench.run(...lsArgs)).out).toMatch(/^dev/m)
  expect((await bench.run('stack', 'export', '-s', 'dev')).out).toBe(recordedExport)
  expect(await bench.run('cancel', '-s', 'dev', '--yes')).toMatchObject({ exit: 0 })
})

test.each([
  ['of a newer version', 'version: 2\n', 'BACKEND_TOO_NEW', 'has version 2; known versions are 0'],
  ['of a negative version', 'version: -1\n', 'BACKEND_INVALID', 'has no version'],
  ['that is empty', '', 'BACKEND_INVALID', 'has no version'],
  ['that is binary', '\u0000\u0001', 'BACKEND_INVALID', 'has no version'],
] as const)('each command refuses a backend with metadata %s', async (...row) => {
  const [, content, code, pattern] = row
  bench.write('backend/.pulumi/meta.yaml', content)
  const address = `file://${bench.backend}`
  for (const args of [upArgs, lsArgs, ['stack', 'import', '--from', address], ['login', address]])
    await bench.refuse(args, code, ['.pulumi/meta.yaml', pattern])
})

test('a damaged entry of the history is named, and its hint needs no copy in the backend', async () => {
  const key = '.pulumi/history/golden/dev/dev-1795648360255059573.history.json'
  bench.write(`backend/${key}`, '{"kind":')
  const patterns = [`${key} of the backend is invalid: it is truncated`, 'or remove it']
  await bench.refuse(upArgs, 'BACKEND_INVALID', patterns)
  await bench.refuse(['stack', 'history', '-s', 'dev'], 'BACKEND_INVALID', patterns)
})

test('a path without a folder and a path of a file are no backend', async () => {
  rmSync(bench.backend, { recursive: true })
  await bench.refuse(upArgs, 'BACKEND_MISSING', [`${bench.backend} does not exist`, 'create_dir'])
  writeFileSync(bench.backend, 'text')
  await bench.refuse(upArgs, 'BACKEND_MISSING', [`${bench.backend} is not a folder`])
})

test.each([
  ['s3://', 'BACKEND_URL_INVALID'],
  ['s3://bucket?nonsense=1', 'BACKEND_URL_INVALID'],
  ['folder', 'BACKEND_URL_INVALID'],
] as const)('a deployment refuses the address %s of a backend', async (address, code) => {
  bench.env['PULUMI_BACKEND_URL'] = address
  await bench.refuse(upArgs, code, [address.split('?')[0] ?? ''])
})

/** The response of each store that refuses a request, and the error of each command. */
const refusals: readonly (readonly [
  what: string,
  response: { readonly status: number; readonly code: string },
  code: ErrorCode,
  pattern: string,
])[] = [
  ['without permission', { status: 403, code: 'AccessDenied' }, 'BACKEND_DENIED', 'permission'],
  ['without its bucket', { status: 404, code: 'NoSuchBucket' }, 'BACKEND_MISSING', 'bucket'],
  [
    'with an expired token',
    { status: 400, code: 'ExpiredToken' },
    'BACKEND_CREDENTIALS',
    'credentials',
  ],
  [
    'with another clock',
    { status: 403, code: 'RequestTimeTooSkewed' },
    'BACKEND_CREDENTIALS',
    'Set the clock of this machine',
  ],
]

let server: Server
let response: { readonly status: number; readonly code: string }

beforeAll(async () => {
  server = createServer((request, reply) => {
    reply.writeHead(response.status, { 'content-type': 'application/xml' })
    const text = `<Error><Code>${response.code}</Code><Message>refused</Message></Error>`
    reply.end(request.method === 'HEAD' ? undefined : text)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) process.env[name] = 'fake'
})

afterAll(() => server.close())

test.each(refusals)('a bucket %s is refused with the request and the bucket', async (...row) => {
  const [, refusal, code, pattern] = row
  response = refusal
  const { port } = server.address() as AddressInfo
  const query = `region=eu-west-1&endpoint=http://127.0.0.1:${port}&s3ForcePathStyle=true`
  bench.env['PULUMI_BACKEND_URL'] = `s3://bucket?${query}`
  for (const args of [upArgs, lsArgs])
    await bench.refuse(args, code, [
      `get .pulumi/meta.yaml in s3://bucket failed: ${refusal.code}`,
      pattern,
    ])
})

test('a bucket whose service is unreachable is refused with the address', async () => {
  const query = `region=eu-west-1&endpoint=${closedAddress}&s3ForcePathStyle=true`
  bench.env['PULUMI_BACKEND_URL'] = `s3://bucket?${query}`
  await bench.refuse(lsArgs, 'STORE_UNAVAILABLE', [/in s3:\/\/bucket failed: .*ECONNREFUSED/])
})

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { parseObjectStoreUrl } from './object-store-url.ts'
import { openObjectStore } from './open-object-store.ts'

type Respond = (request: IncomingMessage, response: ServerResponse) => void
const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
  vi.unstubAllEnvs()
})

/** Starts a service that responds to each request. Returns its host and port. */
async function startService(respond: Respond): Promise<string> {
  const server = createServer(respond)
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', () => resolve())
  })
  closers.push(
    () => void server.close(),
    () => server.closeAllConnections(),
  )
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const openStore = (address: string, env: Record<string, string> = {}) =>
  openObjectStore(parseObjectStoreUrl(address, '/'), env)

/** Opens a bucket of a service that refuses every request with this code and message. */
async function openRefusingBucket(bucket: string, code: string, message: string) {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
  const host = await startService((_request, response) => {
    response.writeHead(400, { 'content-type': 'application/xml' })
    response.end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`)
  })
  const query = `endpoint=http://${host}&s3ForcePathStyle=true&region=us-east-1`
  return openStore(`s3://${bucket}?${query}`)
}

test('an invalid name of a bucket is an error of the address', async () => {
  const store = await openRefusingBucket('Bad_Bucket', 'InvalidBucketName', 'not valid')
  await expect(store.get('a')).rejects.toMatchObject({
    code: 'BACKEND_URL_INVALID',
    message: "'Bad_Bucket' is not a valid name of a bucket",
  })
})

test('an unknown error code is reported as a refusal with the message of the service', async () => {
  const store = await openRefusingBucket('state', 'KeyTooLongError', 'too long')
  await expect(store.get('a')).rejects.toMatchObject({
    code: 'BACKEND_DENIED',
    message: expect.stringContaining('KeyTooLongError: too long') as string,
    hint: expect.stringContaining('settings of the bucket') as string,
  })
})

test('a request that the service refuses for its time has a hint about the clock', async () => {
  const store = await openRefusingBucket('state', 'RequestTimeTooSkewed', 'difference too large')
  await expect(store.get('a')).rejects.toMatchObject({
    code: 'BACKEND_CREDENTIALS',
    hint: expect.stringContaining('clock of this machine') as string,
  })
})

test('an invalid connection string of Azure is an error that does not contain it', async () => {
  const env = { AZURE_STORAGE_CONNECTION_STRING: 'secret garbage' }
  await expect(openStore('azblob://state', env)).rejects.toMatchObject({
    code: 'BACKEND_URL_INVALID',
    message: expect.not.stringContaining('garbage'),
  })
})

test('an error of Azure without a body still has a reason', async () => {
  const host = await startService((_request, response) => {
    response.writeHead(403, { 'x-ms-error-code': 'AuthorizationFailure' })
    response.end()
  })
  const env = { AZURE_STORAGE_KEY: 'a2V5' }
  const store = await openStore(`azblob://c?storage_account=a&localemu=true&domain=${host}`, env)
  await expect(store.get('k')).rejects.toMatchObject({
    code: 'BACKEND_DENIED',
    message: expect.stringMatching(/get k in azblob:\/\/c failed: .*\w/),
  })
})

test('requests to an emulator of Google have the path of its API, and its messages are joined in one line', async () => {
  const paths: string[] = []
  const host = await startService(({ url = '' }, response) => {
    paths.push(url)
    const errors = [{ message: 'first' }, { message: 'second' }, { message: 'first' }]
    response.writeHead(403, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { code: 403, message: 'first', errors } }))
  })
  vi.stubEnv('STORAGE_EMULATOR_HOST', `http://${host}`)
  const store = await openStore('gs://bucket', { STORAGE_EMULATOR_HOST: `http://${host}` })
  await expect(store.list('a')).rejects.toMatchObject({
    code: 'BACKEND_DENIED',
    message: 'list a in gs://bucket failed: first; second',
  })
  expect(paths).toEqual([expect.stringMatching(/^\/storage\/v1\/b\/bucket\/o\?/)])
})

test('an unknown parameter of file:// is refused, and the parameters of Pulumi are accepted', async () => {
  await expect(openStore('file:///srv/x?foo=1')).rejects.toMatchObject({
    code: 'BACKEND_URL_INVALID',
  })
  await openStore('file:///srv/x?metadata=skip&no_tmp_dir=true')
})

test('a folder that cannot exist is an error with a hint for the backend', async () => {
  // A recursive `mkdir` of Node never ends below /proc, so the time limit is short.
  const store = await openStore('file:///proc/antichain')
  await expect(store.put('.pulumi/meta.yaml', new Uint8Array())).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    hint: 'Check the folder /proc/antichain of the backend, and the space on its disk.',
  })
}, 10_000)

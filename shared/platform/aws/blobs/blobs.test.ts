import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createSystemClock } from '../../system/clock.ts'
import { createS3Client } from '../clients.ts'
import { createBlobs } from './blobs.ts'

/**
 * Starts a bucket that aborts every put before it has read the body. To other requests it reports
 * an object with `existingHeaders`, or no object if there are none.
 */
async function startAbortingBucket(existingHeaders?: Readonly<Record<string, string>>) {
  const methods: string[] = []
  const server = createServer((request, response) => {
    methods.push(request.method ?? '')
    if (request.method === 'PUT') {
      request.socket.resetAndDestroy()
      return
    }
    response.writeHead(existingHeaders === undefined ? 404 : 200, existingHeaders)
    response.end()
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b')
  const s3 = createS3Client({ region: 'eu-west-1', endpoints: { S3: `http://127.0.0.1:${port}` } })
  onTestFinished(() => {
    vi.unstubAllEnvs()
    s3.destroy()
    server.close()
  })
  const blobs = createBlobs({ s3, bucket: 'b', prefix: 'blobs/', clock: createSystemClock() })
  return { blobs, methods }
}

const bytes = new Uint8Array(100).fill(7)
const checksum = createHash('sha256').update(bytes).digest('base64')

test('an aborted put succeeds when the same bytes are already stored', async () => {
  const { blobs, methods } = await startAbortingBucket({
    'Content-Length': '100',
    'x-amz-checksum-sha256': checksum,
  })
  await expect(blobs.put(bytes)).resolves.toBe(Buffer.from(checksum, 'base64').toString('hex'))
  expect(new Set(methods)).toEqual(new Set(['PUT', 'HEAD']))
})

test('an aborted put fails when no object or another object is stored', async () => {
  const { blobs } = await startAbortingBucket()
  await expect(blobs.put(bytes)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  const other = await startAbortingBucket({
    'Content-Length': '100',
    'x-amz-checksum-sha256': createHash('sha256').update('other').digest('base64'),
  })
  await expect(other.blobs.put(bytes)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})

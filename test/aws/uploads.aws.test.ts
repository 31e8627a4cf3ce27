import { createHash } from 'node:crypto'
import { ListObjectVersionsCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { createBucketArchives } from '../../shared/platform/aws/blobs/bucket-archives.ts'
import { createUploads } from '../../shared/platform/aws/blobs/presigned-uploads.ts'
import { type AwsSettings, createS3Client } from '../../shared/platform/aws/clients.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import type { UploadAddress } from '../../shared/ports/uploads.ts'
import { archiveNameOf } from '../../shared/records/archive-name.ts'
import { type BlobHash, stackIdOf } from '../../shared/records/ids.ts'
import { createTestBucket } from './test-resources.ts'
import { describeWithServices } from './describe-with-services.ts'

const prefix = 'blobs/'
const stack = stackIdOf('shop', 'prod')
const hashOf = (bytes: Uint8Array): BlobHash =>
  createHash('sha256').update(bytes).digest('hex') as BlobHash

async function open(settings: AwsSettings, expiresMs?: number) {
  const s3 = createS3Client(settings)
  const bucket = await createTestBucket(s3)
  const section = { s3, bucket, prefix }
  return {
    uploads: createUploads({
      blobs: section,
      plugins: { ...section, prefix: 'plugins/' },
      ...(expiresMs === undefined ? {} : { expiresMs }),
    }),
    archives: createBucketArchives({ ...section, clock: createSystemClock() }),
    countVersions: async () =>
      ((await s3.send(new ListObjectVersionsCommand({ Bucket: bucket }))).Versions ?? []).length,
    close: () => s3.destroy(),
  }
}

/** Uploads bytes to an address, optionally with other headers. */
async function send(
  { url, headers }: UploadAddress,
  bytes: Uint8Array,
  otherHeaders: Readonly<Record<string, string | undefined>> = {},
): Promise<number> {
  const allHeaders = Object.entries({ ...headers, ...otherHeaders }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  )
  const body = Buffer.from(bytes)
  const response = await fetch(url, { method: 'PUT', headers: allHeaders, body })
  await response.body?.cancel()
  return response.status
}

describeWithServices('uploads to S3', ['S3'], settings => {
  const bytes = new Uint8Array(5_000).fill(7)
  const otherBytes = new Uint8Array(5_000).fill(8)

  test('an address accepts an archive, which only its stack has after the upload', async () => {
    const { uploads, archives, close } = await open(settings())
    const address = await uploads.createAddress(stack, hashOf(bytes), bytes.length)
    expect(address.isThere).toBe(false)
    expect(await send(address, bytes)).toBe(200)
    expect((await uploads.createAddress(stack, hashOf(bytes), bytes.length)).isThere).toBe(true)
    expect((await uploads.createPluginAddress(hashOf(bytes), bytes.length)).isThere).toBe(false)
    const name = archiveNameOf(stack, hashOf(bytes))
    expect(Buffer.from(await archives.get(stack, name))).toEqual(Buffer.from(bytes))
    const other = stackIdOf('shop', 'dev')
    const otherAddress = await uploads.createAddress(other, hashOf(bytes), bytes.length)
    expect(otherAddress.isThere).toBe(false)
    const otherName = archiveNameOf(other, hashOf(bytes))
    expect(await archives.readContentHash(otherName)).toBeUndefined()
    expect(await send(otherAddress, otherBytes)).toBeGreaterThanOrEqual(400)
    expect(await send(otherAddress, bytes)).toBe(200)
    expect(await archives.readContentHash(otherName)).toBe(hashOf(bytes))
    close()
  })

  test('other bytes, a different number of bytes, and a changed or missing header are refused', async () => {
    const { uploads, countVersions, close } = await open(settings())
    const address = await uploads.createAddress(stack, hashOf(bytes), bytes.length)
    const longer = new Uint8Array(5_001).fill(7)
    const shorter = new Uint8Array(4_999).fill(7)
    const lengthOf = ({ length }: Uint8Array) => ({ 'content-length': String(length) })
    const checksum = createHash('sha256').update(otherBytes).digest('base64')
    const refused = [
      await send(address, otherBytes),
      await send(address, longer, lengthOf(longer)),
      await send(address, shorter, lengthOf(shorter)),
      await send(address, otherBytes, { 'x-amz-checksum-sha256': checksum }),
      await send(address, otherBytes, { 'x-amz-checksum-sha256': undefined }),
      await send(address, bytes, { 'if-none-match': undefined }),
    ]
    expect(refused.filter(status => status < 400 || status >= 500)).toEqual([])
    expect(await countVersions()).toBe(0)
    close()
  })

  test('an address is for one object, and does not overwrite it', async () => {
    const { uploads, countVersions, close } = await open(settings())
    const address = await uploads.createAddress(stack, hashOf(bytes), bytes.length)
    const ownName = archiveNameOf(stack, hashOf(bytes))
    const otherUrl = address.url.replace(ownName, archiveNameOf(stack, hashOf(otherBytes)))
    expect(otherUrl).not.toBe(address.url)
    expect(await send({ ...address, url: otherUrl }, bytes)).toBe(403)
    expect(await send(address, bytes)).toBe(200)
    expect(await send(address, bytes)).toBe(412)
    expect(await countVersions()).toBe(1)
    close()
  })

  test('an address expires', async () => {
    const { uploads, countVersions, close } = await open(settings(), 1_000)
    const address = await uploads.createAddress(stack, hashOf(bytes), bytes.length)
    while (Date.now() < readSigningTime(address) + 3_000)
      await new Promise(done => setTimeout(done, 200))
    expect(await send(address, bytes)).toBe(403)
    expect(await countVersions()).toBe(0)
    close()
  })
})

/** Returns the time at which an address was signed. */
function readSigningTime({ url }: UploadAddress): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(
      new URL(url).searchParams.get('X-Amz-Date') ?? '',
    ) ?? []
  return Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  )
}

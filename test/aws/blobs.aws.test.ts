import { createHash } from 'node:crypto'
import { GetObjectCommand, ListObjectVersionsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createBlobSweep } from '../../shared/platform/aws/blobs/blob-sweep.ts'
import { createBucketArchives } from '../../shared/platform/aws/blobs/bucket-archives.ts'
import { createBlobs } from '../../shared/platform/aws/blobs/blobs.ts'
import { type AwsSettings, createS3Client } from '../../shared/platform/aws/clients.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { defineArchivesContract } from '../contract/archives.ts'
import { defineBlobSweepContract } from '../contract/blob-sweep.ts'
import { defineBlobsContract } from '../contract/blobs.ts'
import { toEpochMs } from '../contract/open-adapter.ts'
import { type RequestFaultRule, withRequestFaults } from './request-faults.ts'
import { createTestBucket } from './test-resources.ts'
import { describeWithServices } from './describe-with-services.ts'

const clock = createSystemClock()
const prefix = 'blobs/'
const faultSeed = 23

/** Opens blobs in a bucket of their own. `direct` is a client of the bucket without faults. */
async function openBlobs(
  directSettings: AwsSettings,
  { rules = [], bytesMax }: { rules?: readonly RequestFaultRule[]; bytesMax?: number } = {},
) {
  const direct = createS3Client(directSettings)
  const bucket = await createTestBucket(direct)
  const { settings, counts } = withRequestFaults(directSettings, rules, faultSeed)
  const s3 = createS3Client(settings)
  const location = { s3, bucket, prefix }
  const close = async (): Promise<void> => {
    direct.destroy()
    s3.destroy()
  }
  const ports = {
    blobs: createBlobs({ ...location, clock, ...(bytesMax === undefined ? {} : { bytesMax }) }),
    blobSweep: createBlobSweep(location),
    archives: createBucketArchives({ ...location, clock }),
  }
  return { ports, counts, direct, bucket, close }
}

/** Faults of S3 requests. Every request may be repeated, even if its reply was lost. */
const faults: readonly RequestFaultRule[] = [
  { kind: 'throttled', percent: 10, attemptsMax: 1 },
  { kind: 'broken', percent: 10, attemptsMax: 2 },
  { kind: 'late', percent: 10, attemptsMax: 9 },
  { kind: 'lost', percent: 25, attemptsMax: 2 },
]

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

describeWithServices('blobs over S3', ['S3'], settings => {
  defineBlobsContract('S3', () => openBlobs(settings()))
  defineBlobsContract('S3, with faults', () => openBlobs(settings(), { rules: faults }))
  defineBlobSweepContract('S3', () => openBlobs(settings()))
  defineBlobSweepContract('S3, with faults', () => openBlobs(settings(), { rules: faults }))
  defineArchivesContract('S3', () => openBlobs(settings()))
  defineArchivesContract('S3, with faults', () => openBlobs(settings(), { rules: faults }))

  test('of many concurrent puts of the same bytes one writes, and all report success', async () => {
    const { ports, direct, bucket, close } = await openBlobs(settings())
    const bytes = new Uint8Array(200_000).fill(7)
    await Promise.all(Array.from({ length: 16 }, () => ports.blobs.put(bytes)))
    const { Versions } = await direct.send(new ListObjectVersionsCommand({ Bucket: bucket }))
    expect(Versions).toHaveLength(1)
    await close()
  })

  test('a put whose reply was lost finds its own blob and writes no second version', async () => {
    const rules = [
      { kind: 'lost', operations: ['PutObject'], percent: 100, attemptsMax: 1 },
    ] as const
    const { ports, direct, bucket, counts, close } = await openBlobs(settings(), { rules })
    const hash = await ports.blobs.put(bytesOf('once'))
    expect(counts.requests.get('PutObject')).toBe(2)
    const { Versions } = await direct.send(new ListObjectVersionsCommand({ Bucket: bucket }))
    expect(Versions).toHaveLength(1)
    expect(Buffer.from(await ports.blobs.get(hash)).toString()).toBe('once')
    await close()
  })

  test('damaged bytes are not returned, and a put repairs them', async () => {
    const { ports, direct, bucket, close } = await openBlobs(settings())
    const hash = await ports.blobs.put(bytesOf('whole'))
    const Key = `${prefix}${hash}.blob`
    await direct.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'wrong' }))
    await expect(ports.blobs.get(hash)).rejects.toMatchObject({ code: 'STATE_INVALID' })
    expect(await ports.blobs.put(bytesOf('whole'))).toBe(hash)
    expect(Buffer.from(await ports.blobs.get(hash)).toString()).toBe('whole')
    await close()
  })

  test('S3 itself refuses bytes that do not match the hash', async () => {
    const { direct, bucket, close } = await openBlobs(settings())
    const ChecksumSHA256 = createHash('sha256').update('others').digest('base64')
    const put = new PutObjectCommand({
      Bucket: bucket,
      Key: 'x.blob',
      Body: 'some',
      ChecksumSHA256,
    })
    await expect(direct.send(put)).rejects.toMatchObject({ name: 'BadDigest' })
    await close()
  })

  test('a blob that is too large is refused before the request', async () => {
    const { ports, counts, close } = await openBlobs(settings(), { bytesMax: 10 })
    await expect(ports.blobs.put(new Uint8Array(11))).rejects.toMatchObject({
      code: 'BLOB_TOO_LARGE',
    })
    expect(counts.requests.size).toBe(0)
    await close()
  })

  test('a sweep lists several pages, and the bytes of a removed blob remain in an old version', async () => {
    const { ports, direct, bucket, close } = await openBlobs(settings())
    const count = 1_010
    const hashes = new Set<string>()
    for (let first = 0; first < count; first += 101)
      for (const hash of await Promise.all(
        Array.from({ length: 101 }, (_, index) => ports.blobs.put(bytesOf(`${first + index}`))),
      ))
        hashes.add(hash)
    const pages: number[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page: Awaited<ReturnType<typeof ports.blobSweep.list>> =
        await ports.blobSweep.list(cursor)
      pages.push(page.blobs.length)
      for (const { hash } of page.blobs) hashes.delete(hash)
      cursor = page.next
    }
    expect(pages).toEqual([1_000, 10])
    expect(hashes.size).toBe(0)
    const hash = await ports.blobs.put(bytesOf('0'))
    await ports.blobSweep.setAside(hash, toEpochMs(5_000))
    await ports.blobSweep.remove(hash)
    const command = new ListObjectVersionsCommand({
      Bucket: bucket,
      Prefix: `${prefix}${hash}.blob`,
    })
    const { Versions = [] } = await direct.send(command)
    const [{ Key, VersionId } = {}] = Versions
    const old = await direct.send(new GetObjectCommand({ Bucket: bucket, Key, VersionId }))
    expect(await old.Body?.transformToString()).toBe('0')
    await close()
  })

  test('a missing bucket and a wrong secret have errors of their own', async () => {
    const { s3, bucket } = { s3: createS3Client(settings()), bucket: 'antichain-not-there' }
    const blobs = createBlobs({ s3, bucket, prefix, clock })
    await expect(blobs.put(bytesOf('x'))).rejects.toMatchObject({ code: 'STORE_MISSING' })
    const hash = createHash('sha256').update('x').digest('hex') as Parameters<typeof blobs.get>[0]
    await expect(blobs.get(hash)).rejects.toMatchObject({ code: 'STORE_MISSING' })
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wrong')
    onTestFinished(() => void vi.unstubAllEnvs())
    const other = createBlobs({ s3: createS3Client(settings()), bucket, prefix, clock })
    const refused = await other.put(bytesOf('x')).catch((thrown: unknown) => thrown)
    expect(refused).toMatchObject({ code: 'STORE_CREDENTIALS' })
    expect(String(refused)).not.toContain('wrong')
  })
})

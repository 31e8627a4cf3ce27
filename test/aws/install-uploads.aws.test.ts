import { ListObjectVersionsCommand } from '@aws-sdk/client-s3'
import { expect, onTestFinished, test } from 'vitest'
import { limits } from '../../shared/config/limits.ts'
import { storeInstallSource } from '../../shared/platform/aws/blobs/install-sources.ts'
import {
  createInstallUpload,
  type InstallUpload,
} from '../../shared/platform/aws/blobs/install-uploads.ts'
import { type AwsSettings, createUploadSigner } from '../../shared/platform/aws/clients.ts'
import { createSystemRandom } from '../../shared/platform/system/random.ts'
import { describeWithServices } from './describe-with-services.ts'
import { createTestBucket } from './test-resources.ts'

async function open(settings: AwsSettings, expiresMs?: number) {
  const s3 = createUploadSigner(settings)
  onTestFinished(() => s3.destroy())
  const bucket = await createTestBucket(s3)
  const random = createSystemRandom()
  return {
    createUpload: () => createInstallUpload({ s3, bucket, random }, expiresMs),
    storeSource: (source: Uint8Array) =>
      storeInstallSource({ s3, bucket, random }, source, expiresMs),
    countVersions: async () =>
      ((await s3.send(new ListObjectVersionsCommand({ Bucket: bucket }))).Versions ?? []).length,
  }
}

/** Uploads bytes to an address, with the given headers. Returns the status. */
async function send(
  { url, headers }: Pick<InstallUpload, 'url' | 'headers'>,
  bytes: Uint8Array,
): Promise<number> {
  const response = await fetch(url, { method: 'PUT', headers, body: Buffer.from(bytes) })
  await response.body?.cancel()
  return response.status
}

describeWithServices('the upload address of a packed program', ['S3'], settings => {
  const bytes = new Uint8Array(5_000).fill(7)

  test('accepts bytes of any hash and size, which its creator reads', async () => {
    const { createUpload } = await open(settings())
    const upload = await createUpload()
    expect(await send(upload, bytes)).toBe(200)
    expect(Buffer.from((await upload.read()) ?? [])).toEqual(Buffer.from(bytes))
  })

  test('accepts one object once, and no other object', async () => {
    const { createUpload, countVersions } = await open(settings())
    const [upload, other] = [await createUpload(), await createUpload()]
    expect(await send(upload, bytes)).toBe(200)
    expect(await send(upload, new Uint8Array(3))).toBe(412)
    const url = new URL(upload.url)
    url.pathname = new URL(other.url).pathname
    expect(await send({ ...upload, url: url.href }, bytes)).toBe(403)
    expect(await countVersions()).toBe(1)
  })

  test('refuses an upload without the headers of its condition', async () => {
    const { createUpload, countVersions } = await open(settings())
    const { url } = await createUpload()
    expect(await send({ url, headers: {} }, bytes)).toBe(403)
    expect(await countVersions()).toBe(0)
  })

  test('reads nothing: neither its own object nor a list', async () => {
    const { createUpload } = await open(settings())
    const upload = await createUpload()
    await send(upload, bytes)
    const { pathname, origin, search } = new URL(upload.url)
    const list = `${origin}${pathname.split('/').slice(0, 2).join('/')}${search}`
    for (const address of [upload.url, list])
      expect((await fetch(address, { headers: upload.headers })).status).toBe(403)
  })

  test('has expired after its time', async () => {
    const { createUpload, countVersions } = await open(settings(), 1_000)
    const upload = await createUpload()
    await new Promise(resolve => setTimeout(resolve, 2_500))
    expect(await send(upload, bytes)).toBe(403)
    expect(await countVersions()).toBe(0)
  })

  test('gives no object without an upload, and none above the size limit', async () => {
    const { createUpload } = await open(settings())
    const upload = await createUpload()
    expect(await upload.read()).toBeUndefined()
    await send(upload, new Uint8Array(limits.archiveBytesMax + 1))
    await expect(upload.read()).rejects.toMatchObject({ code: 'ARCHIVE_TOO_LARGE' })
  }, 120_000)
})

describeWithServices('the address of the files of a repository', ['S3'], settings => {
  const bytes = new Uint8Array(5_000).fill(7)

  test('reads the stored object, and no other', async () => {
    const { storeSource } = await open(settings())
    const [address, other] = [await storeSource(bytes), await storeSource(new Uint8Array(3))]
    expect(Buffer.from(await (await fetch(address)).arrayBuffer())).toEqual(Buffer.from(bytes))
    const url = new URL(address)
    url.pathname = new URL(other).pathname
    expect((await fetch(url)).status).toBe(403)
  })

  test('neither overwrites its object, nor reads it after its time', async () => {
    const { storeSource, countVersions } = await open(settings(), 1_000)
    const address = await storeSource(bytes)
    const put = await fetch(address, { method: 'PUT', body: Buffer.from('other') })
    expect(put.status).toBe(403)
    await new Promise(resolve => setTimeout(resolve, 2_500))
    expect((await fetch(address)).status).toBe(403)
    expect(await countVersions()).toBe(1)
  })
})

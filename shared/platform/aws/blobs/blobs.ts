import { createHash } from 'node:crypto'
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { awsLimits } from '../../../config/aws-limits.ts'
import { createError } from '../../../errors/error.ts'
import type { BlobsPort } from '../../../ports/records.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { BlobHash } from '../../../records/ids.ts'
import type { BlobNaming } from '../../records/archives.ts'
import { createAwsError, withAwsErrors, httpStatusOf } from '../aws-error.ts'
import {
  type BucketSection,
  listSetAside,
  checksumOf,
  isStored,
  blobKeyOf,
} from './blob-objects.ts'

/** Dependencies of the blobs. */
interface BlobsDeps extends BucketSection {
  readonly clock: ClockPort
  /** Maximum size of a blob that `put` accepts, in bytes. Default: `awsLimits.blobBytesMax`. */
  readonly bytesMax?: number
  /** Returns the name of a blob for the SHA-256 of its bytes. Default: the SHA-256. */
  readonly nameOf?: BlobNaming
}

/**
 * Creates the blobs, stored as objects `<prefix><name>.blob` of a bucket. S3 stores complete
 * objects only and verifies their SHA-256 at the upload. `get` verifies it again. A put sends at
 * most 512 MiB, in one part. `put` throws BLOB_TOO_LARGE, and `get` throws STATE_INVALID. Both
 * throw the errors of `createAwsError`.
 */
export function createBlobs(deps: BlobsDeps): BlobsPort {
  const { s3, bucket } = deps
  const { bytesMax = awsLimits.blobBytesMax, nameOf = hash => hash } = deps
  return {
    put: async bytes => {
      const contentHash = hashOf(bytes)
      if (bytes.length > bytesMax)
        throw createError('BLOB_TOO_LARGE', `a blob of ${bytes.length} bytes is too large`, {
          details: { bytes: bytes.length, bytesMax },
        })
      const name = nameOf(contentHash)
      await putUnlessStored(deps, name, { bytes, contentHash })
      return name
    },
    get: async hash => {
      const key = blobKeyOf(deps, hash)
      const requestName = `blob ${hash}: get`
      // A blob that was set aside still exists under another key. The sweep may put it back between
      // the first lookup and the second, so the third lookup repeats the first.
      const keyLookups = [
        async () => [key],
        async () => (await listSetAside(deps, hash)).map(setAsideBlob => setAsideBlob.key),
        async () => [key],
      ]
      for (const findKeys of keyLookups)
        for (const candidateKey of await findKeys()) {
          const bytes = await withAwsErrors(requestName, () =>
            readContent(s3, bucket, candidateKey),
          )
          if (bytes === undefined) continue
          const contentHash = hashOf(bytes)
          // The name of an older archive is the SHA-256 of its bytes, whatever `nameOf` returns.
          if (contentHash === hash || nameOf(contentHash) === hash) return bytes
        }
      throw createError(
        'STATE_INVALID',
        `the blob ${key} of the bucket ${bucket} is absent or damaged`,
        {
          hint: 'Restore an older version of the object, or import an export of the stack.',
          details: { bucket, key },
        },
      )
    },
  }
}

/**
 * Puts an object unless a complete one exists. The object may exist after a conflict, a lost
 * response, or a repeated put of the SDK. The checksum of the existing object then decides whether
 * the put is done.
 */
async function putUnlessStored(
  deps: BlobsDeps,
  name: BlobHash,
  content: { readonly bytes: Uint8Array; readonly contentHash: BlobHash },
): Promise<void> {
  const { bytes, contentHash } = content
  const { s3, bucket, clock } = deps
  const key = blobKeyOf(deps, name)
  const requestName = `blob ${name}: put`
  const put = (condition: { readonly IfNoneMatch?: string }) =>
    s3.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        Body: bytes,
        ContentLength: bytes.length,
        ChecksumSHA256: checksumOf(contentHash),
        ...condition,
      }),
    )
  for (let attempt = 1; ; attempt += 1) {
    try {
      await put({ IfNoneMatch: '*' })
      return
    } catch (thrown) {
      const status = httpStatusOf(thrown)
      // No response: S3 may have refused the put early and closed the connection while the body was
      // sent (RFC 9112, 9.6). 409: another process puts the same blob concurrently.
      const mayExist = status === undefined || status === 412 || status === 409
      if (!mayExist || attempt === awsLimits.putAttemptsMax)
        throw createAwsError(requestName, thrown)
      const storedCheck = isStored(deps, name, { sizeBytes: bytes.length, contentHash })
      if (status === undefined) {
        if (await storedCheck.catch(() => false)) return
        throw createAwsError(requestName, thrown)
      }
      if (await withAwsErrors(requestName, () => storedCheck)) return
      if (status === 409) await clock.sleep(awsLimits.retryPauseMs * 2 ** (attempt - 1))
      else {
        // The existing object is damaged, or it is a delete marker. The correct bytes may replace
        // it.
        await withAwsErrors(requestName, () => put({}))
        return
      }
    }
  }
}

/** Reads an object. Returns undefined when it does not exist, or is too large for a blob. */
async function readContent(
  s3: S3Client,
  bucket: string,
  key: string,
): Promise<Uint8Array | undefined> {
  try {
    const response = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    if (response.Body === undefined) return undefined
    if ((response.ContentLength ?? 0) > awsLimits.blobBytesMax) {
      await response.Body.transformToWebStream().cancel()
      return undefined
    }
    return await response.Body.transformToByteArray()
  } catch (thrown) {
    if (httpStatusOf(thrown) === 404 && !isBucketMissing(thrown)) return undefined
    throw thrown
  }
}

function isBucketMissing(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'NoSuchBucket'
}

/** Returns the SHA-256 of bytes in hexadecimal. */
function hashOf(bytes: Uint8Array): BlobHash {
  return createHash('sha256').update(bytes).digest('hex') as BlobHash
}

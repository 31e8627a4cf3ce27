import { PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { apiLimits } from '../../../config/api-limits.ts'
import type { UploadAddress, UploadsPort } from '../../../ports/uploads.ts'
import type { BlobHash } from '../../../records/ids.ts'
import { withAwsErrors } from '../aws-error.ts'
import { type Bucket, checksumOf, isStored, blobKeyOf } from './blob-objects.ts'

/** What is signed as a header, so that it must come as one: S3 checks it against the body. */
const bound = new Set([
  'content-length',
  'if-none-match',
  'x-amz-checksum-sha256',
  'x-amz-sdk-checksum-algorithm',
])

/** Where blobs and plugins are kept, and how long an address is good for. */
interface UploadsDeps {
  readonly blobs: Bucket
  readonly plugins: Bucket
  readonly expiresMs?: number
}

/**
 * Addresses of S3 that take one blob: hash, size, and that nothing stands there yet are signed, and
 * S3 itself holds the body against them. Whether the signer may put is known when the address is
 * used. Throws what `awsFailure` says when there are no credentials.
 */
export function createUploads(deps: UploadsDeps): UploadsPort {
  const { expiresMs = apiLimits.placeExpiresMs } = deps
  return {
    createAddress: (archive, bytes) =>
      createPresignedUpload(deps.blobs, { archive, bytes, expiresMs }),
    createPluginAddress: (archive, bytes) =>
      createPresignedUpload(deps.plugins, { archive, bytes, expiresMs }),
  }
}

async function createPresignedUpload(
  place: Bucket,
  {
    archive,
    bytes,
    expiresMs,
  }: { readonly archive: BlobHash; readonly bytes: number; readonly expiresMs: number },
): Promise<UploadAddress> {
  const checksum = checksumOf(archive)
  // Who cannot look sends it once more, which does no harm.
  const isThere = await isStored(place, archive, bytes).catch(() => false)
  const command = new PutObjectCommand({
    Bucket: place.bucket,
    Key: blobKeyOf(place, archive),
    ContentLength: bytes,
    ChecksumSHA256: checksum,
    IfNoneMatch: '*',
  })
  const url = await withAwsErrors(`upload ${archive}: sign`, () =>
    getSignedUrl(place.s3, command, {
      expiresIn: Math.ceil(expiresMs / 1000),
      signableHeaders: new Set(['host', ...bound]),
      unhoistableHeaders: bound,
    }),
  )
  return {
    url,
    headers: {
      'content-length': String(bytes),
      'if-none-match': '*',
      'x-amz-checksum-sha256': checksum,
    },
    isThere,
  }
}

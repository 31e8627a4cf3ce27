import { PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { apiLimits } from '../../../config/api-limits.ts'
import type { UploadAddress, UploadsPort } from '../../../ports/uploads.ts'
import type { BlobHash } from '../../../records/ids.ts'
import { withAwsErrors } from '../aws-error.ts'
import { type Bucket, checksumOf, isStored, blobKeyOf } from './blob-objects.ts'

/** Headers that are signed, so that an upload must send them. S3 checks the body against them. */
const bound = new Set([
  'content-length',
  'if-none-match',
  'x-amz-checksum-sha256',
  'x-amz-sdk-checksum-algorithm',
])

/** The places of blobs and plugins, and the validity of an upload address. */
interface UploadsDeps {
  readonly blobs: Bucket
  readonly plugins: Bucket
  readonly expiresMs?: number
}

/**
 * Creates S3 addresses for the upload of one blob. The signature covers hash, size and the
 * condition that no such object exists; S3 checks the body against it. S3 checks the signer's
 * permission only when the address is used. Throws the errors of `awsError` when credentials are
 * missing.
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
  // If the check fails, the caller uploads the bytes again, which is harmless.
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

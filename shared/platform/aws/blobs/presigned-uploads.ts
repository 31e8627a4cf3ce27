import { PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { apiLimits } from '../../../config/api-limits.ts'
import type { UploadAddress, UploadsPort } from '../../../ports/uploads.ts'
import type { BlobHash } from '../../../records/ids.ts'
import { withAwsErrors } from '../aws-error.ts'
import { type BucketSection, checksumOf, isStored, blobKeyOf } from './blob-objects.ts'

/** The signed headers, which an upload must send. S3 checks the body against them. */
const signedHeaders = new Set([
  'content-length',
  'if-none-match',
  'x-amz-checksum-sha256',
  'x-amz-sdk-checksum-algorithm',
])

/** The bucket sections of blobs and plugins, and the validity of an upload address. */
interface UploadsDeps {
  readonly blobs: BucketSection
  readonly plugins: BucketSection
  readonly expiresMs?: number
}

/**
 * Creates the port whose addresses accept the upload of one blob to S3. The signature covers hash,
 * size and the condition that no such object exists. S3 checks the body against hash and size. S3
 * checks the signer's permission only when the address is used. The methods throw the errors of
 * `awsError` when credentials are missing.
 */
export function createUploads(deps: UploadsDeps): UploadsPort {
  const { expiresMs = apiLimits.uploadAddressExpiresMs } = deps
  return {
    createAddress: (archive, sizeBytes) =>
      createPresignedUpload(deps.blobs, { archive, sizeBytes, expiresMs }),
    createPluginAddress: (archive, sizeBytes) =>
      createPresignedUpload(deps.plugins, { archive, sizeBytes, expiresMs }),
  }
}

async function createPresignedUpload(
  bucketSection: BucketSection,
  {
    archive,
    sizeBytes,
    expiresMs,
  }: { readonly archive: BlobHash; readonly sizeBytes: number; readonly expiresMs: number },
): Promise<UploadAddress> {
  const checksum = checksumOf(archive)
  // If the check fails, the caller uploads the bytes again, which is harmless.
  const isThere = await isStored(bucketSection, archive, sizeBytes).catch(() => false)
  const command = new PutObjectCommand({
    Bucket: bucketSection.bucket,
    Key: blobKeyOf(bucketSection, archive),
    ContentLength: sizeBytes,
    ChecksumSHA256: checksum,
    IfNoneMatch: '*',
  })
  const url = await withAwsErrors(`upload ${archive}: sign`, () =>
    getSignedUrl(bucketSection.s3, command, {
      expiresIn: Math.ceil(expiresMs / 1000),
      signableHeaders: new Set(['host', ...signedHeaders]),
      unhoistableHeaders: signedHeaders,
    }),
  )
  return {
    url,
    headers: {
      'content-length': String(sizeBytes),
      'if-none-match': '*',
      'x-amz-checksum-sha256': checksum,
    },
    isThere,
  }
}

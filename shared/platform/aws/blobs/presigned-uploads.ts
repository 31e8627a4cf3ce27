import { PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { apiLimits } from '../../../config/api-limits.ts'
import type { UploadAddress, UploadsPort } from '../../../ports/uploads.ts'
import { archiveNameOf } from '../../../records/archive-name.ts'
import type { BlobHash } from '../../../records/ids.ts'
import { withAwsErrors } from '../aws-error.ts'
import {
  type BucketSection,
  type ContentDigest,
  checksumOf,
  isStored,
  blobKeyOf,
} from './blob-objects.ts'

/**
 * The headers that the signature covers. An upload must send them. S3 checks the body against the
 * signed size and checksum, and refuses to replace an existing object.
 */
const signedHeaders = new Set(['content-length', 'if-none-match', 'x-amz-checksum-sha256'])

/** The bucket sections of blobs and plugins, and the time for which an upload address is valid. */
interface UploadsDeps {
  readonly blobs: BucketSection
  readonly plugins: BucketSection
  readonly expiresMs?: number
}

/**
 * Creates the port whose addresses accept the upload of one blob to S3. The signature covers hash,
 * size and the condition that the object does not exist. S3 checks the body against hash and size.
 * S3 checks the signer's permission only when the address is used. The methods throw the errors of
 * `createAwsError` when credentials are missing.
 */
export function createUploads(deps: UploadsDeps): UploadsPort {
  const { expiresMs = apiLimits.uploadAddressExpiresMs } = deps
  return {
    createAddress: (stack, contentHash, sizeBytes) => {
      const name = archiveNameOf(stack, contentHash)
      return createPresignedUpload(deps.blobs, { name, contentHash, sizeBytes, expiresMs })
    },
    createPluginAddress: (contentHash, sizeBytes) =>
      createPresignedUpload(deps.plugins, {
        name: contentHash,
        contentHash,
        sizeBytes,
        expiresMs,
      }),
  }
}

async function createPresignedUpload(
  bucketSection: BucketSection,
  upload: ContentDigest & { readonly name: BlobHash; readonly expiresMs: number },
): Promise<UploadAddress> {
  const { name, contentHash, sizeBytes, expiresMs } = upload
  const checksum = checksumOf(contentHash)
  // If this read fails, the caller uploads bytes that may be stored already, which is harmless.
  const isThere = await isStored(bucketSection, name, upload).catch(() => false)
  const command = new PutObjectCommand({
    Bucket: bucketSection.bucket,
    Key: blobKeyOf(bucketSection, name),
    ContentLength: sizeBytes,
    ChecksumSHA256: checksum,
    IfNoneMatch: '*',
  })
  const url = await withAwsErrors(`upload ${name}: sign`, () =>
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

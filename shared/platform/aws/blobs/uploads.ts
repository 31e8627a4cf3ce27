import { PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { apiLimits } from '../../../config/api-limits.ts'
import type { UploadsPort } from '../../../ports/uploads.ts'
import { guarded } from '../failures.ts'
import { type Bucket, keyOf } from './objects.ts'

/** What is signed as a header, so that it must come as one: S3 checks it against the body. */
const bound = new Set([
  'content-length',
  'if-none-match',
  'x-amz-checksum-sha256',
  'x-amz-sdk-checksum-algorithm',
])

/**
 * Addresses of S3 that take one blob: hash, size, and that nothing stands there yet are signed, and
 * S3 itself holds the body against them. Signing asks nobody; whether the signer may put is known
 * when the address is used. Throws what `awsFailure` says when there are no credentials.
 */
export function createUploads(
  place: Bucket & {
    /** How long an address is good for. */
    readonly expiresMs?: number
  },
): UploadsPort {
  const { s3, bucket, expiresMs = apiLimits.placeExpiresMs } = place
  return {
    place: async (archive, bytes) => {
      const checksum = Buffer.from(archive, 'hex').toString('base64')
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: keyOf(place, archive),
        ContentLength: bytes,
        ChecksumSHA256: checksum,
        IfNoneMatch: '*',
      })
      const url = await guarded(`upload ${archive}: sign`, () =>
        getSignedUrl(s3, command, {
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
      }
    },
  }
}

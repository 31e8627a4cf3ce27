import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { bucketPrefixes } from '../../../config/aws-resource-names.ts'
import { programLimits } from '../../../config/program-limits.ts'
import type { RandomPort } from '../../../ports/system.ts'
import { httpStatusOf, withAwsErrors } from '../aws-error.ts'

/**
 * Stores the packed files of a repository for one call of the installer. Returns a presigned URL.
 * With it, the installer can read this object and no other, with the permissions of this process.
 * The name of the object is random. The lifecycle of the bucket removes the object. Throws the
 * errors of `createAwsError`.
 */
export async function storeInstallSource(
  deps: { readonly s3: S3Client; readonly bucket: string; readonly random: RandomPort },
  source: Uint8Array,
  expiresMs: number = programLimits.installAddressExpiresMs,
): Promise<string> {
  const { s3, bucket: Bucket, random } = deps
  const Key = `${bucketPrefixes.installs}${random.uuid()}`
  // The role of a generator permits only puts with this condition, which replace no object.
  const command = new PutObjectCommand({ Bucket, Key, Body: source, IfNoneMatch: '*' })
  await withAwsErrors(`object ${Key}: put`, () => s3.send(command).catch(ignoreExistingObject))
  return withAwsErrors(`object ${Key}: sign`, () =>
    getSignedUrl(s3, new GetObjectCommand({ Bucket, Key }), {
      expiresIn: Math.ceil(expiresMs / 1000),
    }),
  )
}

/** Ignores the status 412: an earlier attempt, whose response was lost, created the object. */
function ignoreExistingObject(thrown: unknown): void {
  if (httpStatusOf(thrown) !== 412) throw thrown
}

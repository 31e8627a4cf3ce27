import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { bucketPrefixes } from '../../../config/aws-resource-names.ts'
import { limits } from '../../../config/limits.ts'
import { programLimits } from '../../../config/program-limits.ts'
import { createError } from '../../../errors/error.ts'
import type { RandomPort } from '../../../ports/system.ts'
import { httpStatusOf, withAwsErrors } from '../aws-error.ts'

/** The address of one object, to which a packed program is uploaded. */
export interface InstallUpload {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /**
   * Returns the uploaded bytes, or undefined if nothing was uploaded. Throws ARCHIVE_TOO_LARGE, and
   * the errors of `createAwsError`.
   */
  readonly read: () => Promise<Uint8Array | undefined>
}

/**
 * The headers of an upload. With this condition, S3 refuses to replace an existing object. An
 * address therefore creates only one object.
 */
const uploadHeaders = { 'if-none-match': '*' } as const

/**
 * Creates an address that accepts one object, once, with the permissions of this process. The name
 * of the object is random. The lifecycle of the bucket removes the object. `s3` must be a client of
 * `createUploadSigner`, because the bytes are unknown here. Throws the errors of `createAwsError`
 * when credentials are missing.
 */
export async function createInstallUpload(
  deps: { readonly s3: S3Client; readonly bucket: string; readonly random: RandomPort },
  expiresMs: number = programLimits.installAddressExpiresMs,
): Promise<InstallUpload> {
  const { s3, bucket: Bucket, random } = deps
  const Key = `${bucketPrefixes.installs}${random.uuid()}`
  const command = new PutObjectCommand({ Bucket, Key, IfNoneMatch: '*' })
  const headerNames = new Set(Object.keys(uploadHeaders))
  const url = await withAwsErrors(`object ${Key}: sign`, () =>
    getSignedUrl(s3, command, {
      expiresIn: Math.ceil(expiresMs / 1000),
      signableHeaders: new Set(['host', ...headerNames]),
      unhoistableHeaders: headerNames,
    }),
  )
  return {
    url,
    headers: uploadHeaders,
    read: () => withAwsErrors(`object ${Key}: get`, () => readUploadedObject(s3, { Bucket, Key })),
  }
}

/** Reads an object. Returns undefined when it does not exist. */
async function readUploadedObject(
  s3: S3Client,
  location: { readonly Bucket: string; readonly Key: string },
): Promise<Uint8Array | undefined> {
  try {
    const { Body, ContentLength = 0 } = await s3.send(new GetObjectCommand(location))
    if (ContentLength <= limits.archiveBytesMax) return await Body?.transformToByteArray()
    await Body?.transformToWebStream().cancel()
    const message = `the packed program has ${ContentLength} bytes; the limit is ${limits.archiveBytesMax}`
    throw createError('ARCHIVE_TOO_LARGE', message)
  } catch (thrown) {
    if (httpStatusOf(thrown) === 404) return undefined
    throw thrown
  }
}

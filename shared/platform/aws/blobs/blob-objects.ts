import { HeadObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { createError } from '../../../errors/error.ts'
import type { BlobHash, EpochMs } from '../../../records/ids.ts'
import { withAwsErrors, httpStatusOf } from '../aws-error.ts'

/** The part of a bucket whose keys begin with `prefix`. The prefix ends with a slash. */
export interface BucketSection {
  readonly s3: S3Client
  readonly bucket: string
  readonly prefix: string
}

/** The object of a blob that was set aside, and the time when it was set aside. */
export interface SetAsideBlob {
  readonly key: string
  readonly setAsideAt: EpochMs
}

/** The pattern of a name below the prefix: `<hash>.blob`, or `<hash>.<milliseconds>.aside`. */
const objectNamePattern = /^([0-9a-f]{64})\.(?:blob|(\d+)\.aside)$/

/**
 * Returns `hash`. Throws STATE_INVALID if it is malformed. The hash may come from a file that a
 * person edited, and only hexadecimal digits may become part of a key.
 */
function requireHash(hash: BlobHash): BlobHash {
  if (!/^[0-9a-f]{64}$/.test(hash))
    throw createError('STATE_INVALID', `"${hash}" does not name a blob`)
  return hash
}

/**
 * Returns the key of a blob. No key is a folder of another key, because some servers do not support
 * such keys.
 */
export function blobKeyOf({ prefix }: Pick<BucketSection, 'prefix'>, hash: BlobHash): string {
  return `${prefix}${requireHash(hash)}.blob`
}

/** Returns a hash in base64, the format of S3 checksums. */
export function checksumOf(hash: BlobHash): string {
  return Buffer.from(requireHash(hash), 'hex').toString('base64')
}

/**
 * The size and the SHA-256 of an object. The SHA-256 differs from the object's name for an archive,
 * whose name also depends on its stack.
 */
export interface ContentDigest {
  readonly sizeBytes: number
  readonly contentHash: BlobHash
}

/**
 * Returns the size and the SHA-256 of the object at a blob's key, without its bytes. S3 verified
 * both at the upload. Returns undefined if there is no object. Throws the errors of S3.
 */
export async function readContentDigest(
  bucketSection: BucketSection,
  name: BlobHash,
): Promise<ContentDigest | undefined> {
  const { s3, bucket: Bucket } = bucketSection
  const Key = blobKeyOf(bucketSection, name)
  try {
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }))
    const { ContentLength: sizeBytes = 0, ChecksumSHA256: checksum = '' } = head
    const contentHash = Buffer.from(checksum, 'base64').toString('hex') as BlobHash
    return { sizeBytes, contentHash }
  } catch (thrown) {
    if (httpStatusOf(thrown) === 404) return undefined
    throw thrown
  }
}

/** Reports whether the object at a blob's key has this size and SHA-256. Throws errors of S3. */
export async function isStored(
  bucketSection: BucketSection,
  name: BlobHash,
  digest: ContentDigest,
): Promise<boolean> {
  const stored = await readContentDigest(bucketSection, name)
  return stored?.sizeBytes === digest.sizeBytes && stored.contentHash === digest.contentHash
}

/** Returns the key of a blob that was set aside at `setAsideAt`. */
export function setAsideKeyOf(
  { prefix }: Pick<BucketSection, 'prefix'>,
  hash: BlobHash,
  setAsideAt: EpochMs,
): string {
  return `${prefix}${requireHash(hash)}.${setAsideAt}.aside`
}

/** Parses a key. Returns undefined for an object of another kind. */
export function parseBlobKey(
  { prefix }: Pick<BucketSection, 'prefix'>,
  key: string,
): { readonly hash: BlobHash; readonly setAsideAt?: EpochMs } | undefined {
  const [, hash, setAsideAt] = objectNamePattern.exec(key.slice(prefix.length)) ?? []
  if (hash === undefined || !key.startsWith(prefix)) return undefined
  return {
    hash: hash as BlobHash,
    ...(setAsideAt === undefined ? {} : { setAsideAt: Number(setAsideAt) as EpochMs }),
  }
}

/**
 * Returns the set-aside copies of a blob, oldest first. After a crash between copy and delete, a
 * blob can have several copies.
 */
export async function listSetAside(
  bucketSection: BucketSection,
  hash: BlobHash,
): Promise<readonly SetAsideBlob[]> {
  const command = new ListObjectsV2Command({
    Bucket: bucketSection.bucket,
    Prefix: `${bucketSection.prefix}${requireHash(hash)}.`,
  })
  const { Contents = [] } = await withAwsErrors(`blob ${hash}: list set-aside copies`, () =>
    bucketSection.s3.send(command),
  )
  return Contents.flatMap(({ Key = '' }) => {
    const setAsideAt = parseBlobKey(bucketSection, Key)?.setAsideAt
    return setAsideAt === undefined ? [] : [{ key: Key, setAsideAt }]
  }).toSorted((a, b) => a.setAsideAt - b.setAsideAt)
}

import { HeadObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { error } from '../../../errors/error.ts'
import type { BlobHash, EpochMs } from '../../../records/ids.ts'
import { withAwsErrors, httpStatusOf } from '../aws-error.ts'

/** A part of a bucket. Its keys begin with `prefix`, which ends with a slash. */
export interface Bucket {
  readonly s3: S3Client
  readonly bucket: string
  readonly prefix: string
}

/** The object of a blob that was set aside, and the time of that. */
export interface SetAsideBlob {
  readonly key: string
  readonly at: EpochMs
}

/** The form of a name below the prefix: `<hash>.blob`, or `<hash>.<milliseconds>.aside`. */
const nameForm = /^([0-9a-f]{64})\.(?:blob|(\d+)\.aside)$/

/**
 * The hash may come from a file that a person edited. Only hexadecimal digits may become part of a
 * key.
 */
function requireHash(hash: BlobHash): BlobHash {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw error('STATE_INVALID', `"${hash}" does not name a blob`)
  return hash
}

/**
 * Returns the key of a blob. No key is a folder of another one, because some servers do not support
 * that.
 */
export function blobKeyOf({ prefix }: Pick<Bucket, 'prefix'>, hash: BlobHash): string {
  return `${prefix}${requireHash(hash)}.blob`
}

/** Returns a hash in the format of S3 checksums. */
export function checksumOf(hash: BlobHash): string {
  return Buffer.from(requireHash(hash), 'hex').toString('base64')
}

/**
 * Reports whether the bytes of a blob are stored at its key, by size and checksum. Throws the
 * errors of S3.
 */
export async function isStored(place: Bucket, hash: BlobHash, size: number): Promise<boolean> {
  const { s3, bucket: Bucket } = place
  const Key = blobKeyOf(place, hash)
  try {
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }))
    return head.ContentLength === size && head.ChecksumSHA256 === checksumOf(hash)
  } catch (thrown) {
    if (httpStatusOf(thrown) === 404) return false
    throw thrown
  }
}

/** Returns the key of a blob that was set aside at a time. */
export function setAsideKeyOf(
  { prefix }: Pick<Bucket, 'prefix'>,
  hash: BlobHash,
  at: EpochMs,
): string {
  return `${prefix}${requireHash(hash)}.${at}.aside`
}

/** Parses a key. Returns undefined for an object of another kind. */
export function parseBlobKey(
  { prefix }: Pick<Bucket, 'prefix'>,
  key: string,
): { readonly hash: BlobHash; readonly asideAt?: EpochMs } | undefined {
  const [, hash, at] = nameForm.exec(key.slice(prefix.length)) ?? []
  if (hash === undefined || !key.startsWith(prefix)) return undefined
  return { hash: hash as BlobHash, ...(at === undefined ? {} : { asideAt: Number(at) as EpochMs }) }
}

/**
 * Returns the set-aside copies of a blob, oldest first. There are several after a crash between
 * copy and delete.
 */
export async function listSetAside(
  place: Bucket,
  hash: BlobHash,
): Promise<readonly SetAsideBlob[]> {
  const command = new ListObjectsV2Command({
    Bucket: place.bucket,
    Prefix: `${place.prefix}${requireHash(hash)}.`,
  })
  const { Contents = [] } = await withAwsErrors(`blob ${hash}: list set-aside copies`, () =>
    place.s3.send(command),
  )
  return Contents.flatMap(({ Key = '' }) => {
    const asideAt = parseBlobKey(place, Key)?.asideAt
    return asideAt === undefined ? [] : [{ key: Key, at: asideAt }]
  }).toSorted((a, b) => a.at - b.at)
}

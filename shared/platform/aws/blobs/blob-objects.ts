import { HeadObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { error } from '../../../errors/error.ts'
import type { BlobHash, EpochMs } from '../../../records/ids.ts'
import { withAwsErrors, httpStatusOf } from '../aws-error.ts'

/** A part of a bucket: keys begin with `prefix`, which ends with a slash. */
export interface Bucket {
  readonly s3: S3Client
  readonly bucket: string
  readonly prefix: string
}

/** An object of a blob that was set aside, and when. */
export interface SetAsideBlob {
  readonly key: string
  readonly at: EpochMs
}

/** What a name below the prefix says: `<hash>.blob`, or `<hash>.<milliseconds>.aside`. */
const nameForm = /^([0-9a-f]{64})\.(?:blob|(\d+)\.aside)$/

/** A hash may come from a file that a person edited: nothing but digits becomes part of a key. */
function requireHash(hash: BlobHash): BlobHash {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw error('STATE_INVALID', `"${hash}" does not name a blob`)
  return hash
}

/** The key of a blob. No key is a folder of another, as some servers cannot have both. */
export function blobKeyOf({ prefix }: Pick<Bucket, 'prefix'>, hash: BlobHash): string {
  return `${prefix}${requireHash(hash)}.blob`
}

/** A hash as S3 has checksums. */
export function checksumOf(hash: BlobHash): string {
  return Buffer.from(requireHash(hash), 'hex').toString('base64')
}

/** Whether the bytes of a blob stand at its key, as S3 knows them. Throws what S3 throws. */
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

/** The key of a blob that was set aside at a time. */
export function setAsideKeyOf(
  { prefix }: Pick<Bucket, 'prefix'>,
  hash: BlobHash,
  at: EpochMs,
): string {
  return `${prefix}${requireHash(hash)}.${at}.aside`
}

/** What a key names; undefined for what is none of ours. */
export function parseBlobKey(
  { prefix }: Pick<Bucket, 'prefix'>,
  key: string,
): { readonly hash: BlobHash; readonly asideAt?: EpochMs } | undefined {
  const [, hash, at] = nameForm.exec(key.slice(prefix.length)) ?? []
  if (hash === undefined || !key.startsWith(prefix)) return undefined
  return { hash: hash as BlobHash, ...(at === undefined ? {} : { asideAt: Number(at) as EpochMs }) }
}

/** Where a blob lies that was set aside, oldest first: more than once after a death in between. */
export async function listSetAside(
  place: Bucket,
  hash: BlobHash,
): Promise<readonly SetAsideBlob[]> {
  const command = new ListObjectsV2Command({
    Bucket: place.bucket,
    Prefix: `${place.prefix}${requireHash(hash)}.`,
  })
  const { Contents = [] } = await withAwsErrors(`blob ${hash}: look`, () => place.s3.send(command))
  return Contents.flatMap(({ Key = '' }) => {
    const asideAt = parseBlobKey(place, Key)?.asideAt
    return asideAt === undefined ? [] : [{ key: Key, at: asideAt }]
  }).toSorted((a, b) => a.at - b.at)
}

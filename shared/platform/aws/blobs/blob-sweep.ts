import {
  CopyObjectCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3'
import { awsLimits } from '../../../config/aws-limits.ts'
import type { BlobEntry, BlobSweepPort } from '../../../ports/retention.ts'
import type { EpochMs } from '../../../records/ids.ts'
import { withAwsErrors, httpStatusOf } from '../aws-error.ts'
import {
  setAsideKeyOf,
  listSetAside,
  type BucketSection,
  blobKeyOf,
  parseBlobKey,
} from './blob-objects.ts'

/**
 * Creates the sweep over the blobs of a bucket. To set a blob aside, the sweep copies it to a key
 * that contains the time, and then deletes the original. A concurrent put of the same bytes creates
 * a separate object, so the later removal of the copy does not affect it. In a versioned bucket
 * every delete leaves a version, which can be restored until the bucket's lifecycle removes it. A
 * page has at most 1,000 blobs.
 */
export function createBlobSweep(bucketSection: BucketSection): BlobSweepPort {
  const { s3, bucket, prefix } = bucketSection
  const removeObject = (Key: string) => s3.send(new DeleteObjectCommand({ Bucket: bucket, Key }))
  /**
   * Copies an object. Returns false when the object does not exist. The check before the copy is
   * needed, because in a versioned bucket some servers copy a deleted object.
   */
  const copyIfPresent = async (sourceKey: string, targetKey: string): Promise<boolean> => {
    try {
      await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: sourceKey }))
      const CopySource = `${bucket}/${sourceKey}`
      await s3.send(new CopyObjectCommand({ Bucket: bucket, CopySource, Key: targetKey }))
      return true
    } catch (thrown) {
      if (httpStatusOf(thrown) === 404) return false
      throw thrown
    }
  }
  return {
    list: async cursor => {
      const command = new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix,
        MaxKeys: awsLimits.blobsPerPage,
        ...(cursor === '' ? {} : { ContinuationToken: cursor }),
      })
      const page = await withAwsErrors(`blobs of ${bucket}: list`, () => s3.send(command))
      const blobs = (page.Contents ?? []).flatMap(({ Key = '', Size = 0, LastModified }) => {
        const parsedKey = parseBlobKey(bucketSection, Key)
        if (parsedKey === undefined) return []
        const { hash, setAsideAt } = parsedKey
        const changedAtMs = setAsideAt ?? ((LastModified?.getTime() ?? 0) as EpochMs)
        return [
          {
            hash,
            sizeBytes: Size,
            changedAtMs,
            isSetAside: setAsideAt !== undefined,
          } satisfies BlobEntry,
        ]
      })
      return { blobs, next: page.NextContinuationToken }
    },
    setAside: (hash, now) =>
      withAwsErrors(`blob ${hash}: set aside`, async () => {
        const key = blobKeyOf(bucketSection, hash)
        if (await copyIfPresent(key, setAsideKeyOf(bucketSection, hash, now)))
          await removeObject(key)
      }),
    putBack: hash =>
      withAwsErrors(`blob ${hash}: put back`, async () => {
        const setAsideBlobs = await listSetAside(bucketSection, hash)
        const [oldest] = setAsideBlobs
        if (
          oldest === undefined ||
          !(await copyIfPresent(oldest.key, blobKeyOf(bucketSection, hash)))
        )
          return
        for (const { key } of setAsideBlobs) await removeObject(key)
      }),
    remove: hash =>
      withAwsErrors(`blob ${hash}: remove`, async () => {
        for (const { key } of await listSetAside(bucketSection, hash)) await removeObject(key)
      }),
    // No unfinished blob can exist: S3 stores complete objects only, and no upload has several
    // parts.
    removeUnfinished: async () => ({ count: 0, bytes: 0 }),
  }
}

import { createHash } from 'node:crypto'
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { bucketPrefixes } from '../../../config/aws-resource-names.ts'
import type { BlobHash, StackId } from '../../../records/ids.ts'
import { httpStatusOf, withAwsErrors } from '../aws-error.ts'

/**
 * The archive names of programs with installed packages, by stack and marker. The marker is a text
 * that identifies the packages (`PackagePlan`).
 */
export interface InstallRecords {
  readonly find: (stack: StackId, marker: string) => Promise<BlobHash | undefined>
  readonly store: (stack: StackId, marker: string, archive: BlobHash) => Promise<void>
}

/**
 * Creates the records of installed programs in the bucket. The lifecycle of the bucket removes a
 * record after a day. Installers cannot write a record: each one may put only one object, with a
 * random name. A later record of the same marker is ignored. The methods throw the errors of
 * `createAwsError`.
 */
export function createInstallRecords(deps: {
  readonly s3: S3Client
  readonly bucket: string
}): InstallRecords {
  const { s3, bucket: Bucket } = deps
  return {
    find: (stack, marker) => {
      const Key = keyOf(stack, marker)
      return withAwsErrors(`object ${Key}: get`, async () => {
        try {
          const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }))
          return (await Body?.transformToString()) as BlobHash | undefined
        } catch (thrown) {
          if (httpStatusOf(thrown) === 404) return undefined
          throw thrown
        }
      })
    },
    store: async (stack, marker, archive) => {
      const Key = keyOf(stack, marker)
      const command = new PutObjectCommand({ Bucket, Key, Body: archive, IfNoneMatch: '*' })
      await withAwsErrors(`object ${Key}: put`, () =>
        s3.send(command).catch((thrown: unknown) => {
          // 412: a record of the same marker exists.
          if (httpStatusOf(thrown) !== 412) throw thrown
        }),
      )
    },
  }
}

function keyOf(stack: StackId, marker: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([stack, marker]))
    .digest('hex')
  return `${bucketPrefixes.installs}packages-${hash}`
}

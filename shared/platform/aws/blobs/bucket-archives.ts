import type { ArchivesPort } from '../../../ports/records.ts'
import type { ClockPort } from '../../../ports/system.ts'
import { createArchives } from '../../records/archives.ts'
import { withAwsErrors } from '../aws-error.ts'
import { type BucketSection, readContentDigest } from './blob-objects.ts'
import { createBlobs } from './blobs.ts'

/**
 * Creates the archives of programs, stored as blobs of a bucket. Throws the errors of
 * `createAwsError`.
 */
export function createBucketArchives(
  deps: BucketSection & { readonly clock: ClockPort },
): ArchivesPort {
  return createArchives(
    nameOf => createBlobs({ ...deps, nameOf }),
    async name => {
      const digest = await withAwsErrors(`archive ${name}: check`, () =>
        readContentDigest(deps, name),
      )
      return digest?.contentHash
    },
  )
}

import { createError } from '../../shared/errors/error.ts'
import { archiveNameOf } from '../../shared/records/archive-name.ts'
import type { BlobHash, StackId } from '../../shared/records/ids.ts'
import type { ApiPorts } from '../../shared/api/define-route.ts'

/**
 * Returns the name of a stack's archive with this SHA-256. Throws ARCHIVE_UNKNOWN unless the bytes
 * were uploaded for this stack. An archive of another stack and any other blob are unknown too.
 */
export async function requireArchive(
  { archives }: Pick<ApiPorts, 'archives'>,
  stack: StackId,
  contentHash: BlobHash,
): Promise<BlobHash> {
  const name = archiveNameOf(stack, contentHash)
  if ((await archives.readContentHash(name)) === contentHash) return name
  throw createError('ARCHIVE_UNKNOWN', `the archive ${contentHash} was not uploaded for the stack`)
}

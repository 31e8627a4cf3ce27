import { createHash } from 'node:crypto'
import type * as z from 'zod'
import { limits } from '../../shared/config/limits.ts'
import { createError } from '../../shared/errors/error.ts'
import type { BlobHash, StackId } from '../../shared/records/ids.ts'
import type { uploadForm } from './archive-forms.ts'
import type { ApiPorts } from '../../shared/api/define-route.ts'

/** Throws ARCHIVE_TOO_LARGE for an upload beyond the limit. `subject` names it in the message. */
export function requireArchiveSize(bytes: number, subject: string): void {
  if (bytes > limits.archiveBytesMax)
    throw createError(
      'ARCHIVE_TOO_LARGE',
      `${subject} has ${bytes} bytes; the limit is ${limits.archiveBytesMax} bytes`,
    )
}

/**
 * Returns the address to which an archive of an owner is uploaded. `url`: the address of this API,
 * for a platform whose store receives no uploads itself.
 */
export async function createUploadAddress(
  { uploads }: Pick<ApiPorts, 'uploads'>,
  owner: StackId,
  upload: { readonly archive: BlobHash; readonly bytes: number; readonly url: string },
): Promise<z.output<typeof uploadForm>> {
  const { archive, bytes, url } = upload
  if (uploads !== undefined) return uploads.createAddress(owner, archive, bytes)
  return { url, headers: {}, isThere: false }
}

/** Stores the uploaded bytes of an archive. Throws UPLOAD_DIFFERS if they have another hash. */
export async function storeUpload(
  { archives }: Pick<ApiPorts, 'archives'>,
  owner: StackId,
  { archive, body }: { readonly archive: string | undefined; readonly body: unknown },
): Promise<{ readonly json: { readonly archive: string } }> {
  const bytes = body instanceof Uint8Array ? body : new Uint8Array()
  const contentHash = createHash('sha256').update(bytes).digest('hex')
  if (contentHash !== archive)
    throw createError('UPLOAD_DIFFERS', `the uploaded bytes do not have the SHA-256 ${archive}`)
  await archives.put(owner, bytes)
  return { json: { archive: contentHash } }
}

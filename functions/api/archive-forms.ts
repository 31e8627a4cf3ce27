import * as z from 'zod'
import type { BlobHash } from '../../shared/records/ids.ts'

/** The SHA-256 of a packed folder, with which requests reference it. */
export const archiveForm = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of an archive in hex')
  .transform(text => text as BlobHash)

/** The address that accepts the bytes of an archive by PUT. */
export const uploadForm = z.object({
  /** An absolute address, or a path of this API. Only the path requires the token of the caller. */
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  /**
   * Whether the bytes of the archive are stored already: no upload is needed then. Always false
   * where the API itself receives the bytes.
   */
  isThere: z.boolean(),
})

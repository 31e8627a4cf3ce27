import { z } from 'zod'
import type { BlobHash } from '../../shared/records/ids.ts'

/** The SHA-256 of a packed folder, by which requests name it. */
export const archiveForm = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of an archive in hex')
  .transform(text => text as BlobHash)

/** Where the bytes of an archive are sent by PUT. */
export const uploadForm = z.object({
  /** An address, or a path of this API, which takes the token too. */
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  /** These bytes are there already: nothing needs to be sent. */
  isThere: z.boolean(),
})

import * as z from 'zod'

/** A stored plugin in responses of the API. */
export const listedPluginForm = z.object({
  kind: z.string(),
  name: z.string(),
  version: z.string(),
  os: z.string(),
  arch: z.string(),
  /** Time of the upload or download, in ms since 1970. */
  storedAtMs: z.number(),
  /** SHA-256 of the archive. */
  sha256: z.string(),
  /** Source of a downloaded archive. */
  source: z.string().optional(),
})

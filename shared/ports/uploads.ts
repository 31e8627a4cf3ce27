import type { BlobHash } from '../records/ids.ts'

/** The URL and headers for uploading a blob. */
export interface UploadAddress {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Whether these bytes are already stored, so that no upload is needed. */
  readonly isThere: boolean
}

/** Uploads of blobs that are too large for a function's request body. */
export interface UploadsPort {
  /** Creates an address that accepts one blob of this hash and size by PUT, for some minutes. */
  readonly createAddress: (archive: BlobHash, sizeBytes: number) => Promise<UploadAddress>
  /** Creates an address as `createAddress` does, but for a plugin archive. */
  readonly createPluginAddress: (archive: BlobHash, sizeBytes: number) => Promise<UploadAddress>
}

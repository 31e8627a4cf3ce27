import type { BlobHash, StackId } from '../records/ids.ts'

/** The URL and headers for uploading a blob. */
export interface UploadAddress {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Whether these bytes are already stored, so that no upload is needed. */
  readonly isThere: boolean
}

/** Uploads of blobs that are too large for a function's request body. */
export interface UploadsPort {
  /**
   * Creates an address that accepts one archive of a stack by PUT, for some minutes. The archive
   * must have this SHA-256 and size. `isThere` refers to the archives of this stack only, so that
   * the hash alone never gives a stack the archive of another stack.
   */
  readonly createAddress: (
    stack: StackId,
    contentHash: BlobHash,
    sizeBytes: number,
  ) => Promise<UploadAddress>
  /** Creates an address as `createAddress` does, but for a plugin archive. */
  readonly createPluginAddress: (contentHash: BlobHash, sizeBytes: number) => Promise<UploadAddress>
}

import type { BlobHash } from '../records/ids.ts'

/** Where the bytes of a blob are sent, and with which headers. */
export interface UploadAddress {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** These bytes stand there already: nothing needs to be sent. */
  readonly isThere: boolean
}

/** Sending blobs past a function that cannot take so much in one request. */
export interface UploadsPort {
  /**
   * An address that takes one blob of this hash and size by PUT for some minutes, and nothing else.
   */
  readonly createAddress: (archive: BlobHash, bytes: number) => Promise<UploadAddress>
  /** The same for the archive of a plugin. */
  readonly createPluginAddress: (archive: BlobHash, bytes: number) => Promise<UploadAddress>
}

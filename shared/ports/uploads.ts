import type { BlobHash } from '../records/ids.ts'

/** Where the bytes of a blob are sent, and with which headers. */
export interface UploadPlace {
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
  readonly place: (archive: BlobHash, bytes: number) => Promise<UploadPlace>
  /** The same for the archive of a plugin. */
  readonly placeOfPlugin: (archive: BlobHash, bytes: number) => Promise<UploadPlace>
}

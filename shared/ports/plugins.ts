import type { BlobHash } from '../records/ids.ts'

/** What names a plugin's archive: kind, name, version, and what it runs on. */
export interface PluginKey {
  readonly kind: string
  readonly name: string
  readonly version: string
  /** As Node says them, `linux` and `arm64`. */
  readonly os: string
  readonly arch: string
}

/** Archives of plugins, for processes that have no plugin cache of their own. */
export interface PluginStorePort {
  /**
   * The archive of a version, the newest one of '' (a stable one before any other); undefined when
   * there is none. Throws PLUGIN_CHECKSUM when its bytes are not those that were put.
   */
  readonly get: (
    key: PluginKey,
  ) => Promise<{ readonly version: string; readonly bytes: Uint8Array } | undefined>
  /**
   * Says that bytes which were sent already are the archive of a version; false when others are: a
   * version is never changed so. Throws DOCUMENT_UNKNOWN for bytes that nobody sent.
   */
  readonly nameArchive: (key: PluginKey, archive: BlobHash) => Promise<boolean>
  /** Keeps a gzipped tar archive of the plugin's folder; answers its SHA-256. */
  readonly put: (key: PluginKey, bytes: Uint8Array) => Promise<BlobHash>
}

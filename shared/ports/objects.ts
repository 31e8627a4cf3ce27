/** An object of a store, without its bytes. */
export interface ObjectEntry {
  readonly key: string
  /** Time of the last write, in ms since 1970. */
  readonly modifiedMs: number
}

/**
 * The objects of one bucket or folder. Keys have `/` as separator. A write is atomic: no reader
 * sees a part of an object. Each method throws BACKEND_DENIED, BACKEND_MISSING,
 * BACKEND_CREDENTIALS, and STORE_UNAVAILABLE, which may be temporary.
 */
export interface ObjectStorePort {
  /** The address of the store, without credentials and query. */
  readonly address: string
  /** Returns the bytes of an object. Returns undefined if it does not exist. */
  readonly get: (key: string) => Promise<Uint8Array | undefined>
  /** Writes an object durably, in place of an earlier one. */
  readonly put: (key: string, bytes: Uint8Array) => Promise<void>
  /**
   * Writes an object durably, unless an object has the key. Returns whether this call wrote the
   * object. After a lost response, a repeated call returns false. Throws BACKEND_CONDITION_REFUSED
   * if the store has no conditional writes. Some stores ignore the condition instead, and replace
   * the object.
   */
  readonly putIfAbsent: (key: string, bytes: Uint8Array) => Promise<boolean>
  /** Lists the objects whose keys begin with a prefix, ordered by key. */
  readonly list: (prefix: string) => Promise<readonly ObjectEntry[]>
  /** Removes an object. Does nothing if it does not exist. */
  readonly remove: (key: string) => Promise<void>
}

import { emptyManifest } from './empty-deployment.ts'
import type { ResourceState } from './resource.ts'

/** The kind of a pending operation, with Pulumi's names. */
export type PendingOperationType = 'creating' | 'updating' | 'deleting' | 'reading' | 'importing'

/** An operation that has begun and whose end is unknown. */
export interface PendingOperation {
  readonly resource: ResourceState
  readonly type: PendingOperationType
}

/**
 * The version of the engine that wrote a snapshot, and the time. `time` is RFC 3339 text, `magic`
 * the SHA-256 of `version`, or '' without a version.
 */
export interface Manifest {
  readonly time: string
  readonly magic: string
  readonly version: string
}

/**
 * The integrity error of a snapshot when it was published. A snapshot with such an error is
 * published too (I7). `version`: the version of the engine that published the snapshot.
 */
export interface IntegrityMark {
  readonly version?: string
  readonly command?: string
  readonly error?: string
}

/** The decrypted state of a stack. Secrets are values of the kind `secret`. */
export interface Snapshot {
  readonly manifest: Manifest
  readonly resources: readonly ResourceState[]
  readonly pendingOperations: readonly PendingOperation[]
  readonly integrityError: IntegrityMark | undefined
  /** The snippets as JSON. They are preserved without being interpreted. */
  readonly snippets: readonly unknown[]
  /** The extensions as JSON. They are preserved without being interpreted. */
  readonly extensions: Readonly<Record<string, unknown>>
}

/** The snapshot of a new stack. */
export const emptySnapshot: Snapshot = {
  manifest: emptyManifest,
  resources: [],
  pendingOperations: [],
  integrityError: undefined,
  snippets: [],
  extensions: {},
}

import type { ResourceState } from './resource.ts'

/** What a begun operation that did not end wanted to do, in Pulumi's words. */
export type PendingOperationType = 'creating' | 'updating' | 'deleting' | 'reading' | 'importing'

/** An operation that was begun and whose end nobody knows. */
export interface PendingOperation {
  readonly resource: ResourceState
  readonly type: PendingOperationType
}

/** Who wrote a snapshot; `time` is RFC 3339 text, `magic` the SHA-256 of `version`. */
export interface Manifest {
  readonly time: string
  readonly magic: string
  readonly version: string
}

/** What was wrong with a snapshot when it was published (I7). */
export interface IntegrityMark {
  readonly version?: string
  readonly command?: string
  readonly error?: string
}

/** The state of a stack, opened: secrets are boxes with their value inside. */
export interface Snapshot {
  readonly manifest: Manifest
  readonly resources: readonly ResourceState[]
  readonly pendingOperations: readonly PendingOperation[]
  readonly integrityError: IntegrityMark | undefined
  /** Fields that this version only carries: snippets and extensions, as JSON. */
  readonly snippets: readonly unknown[]
  readonly extensions: Readonly<Record<string, unknown>>
}

/** A stack that never ran. */
export const emptySnapshot: Snapshot = {
  manifest: { time: '0001-01-01T00:00:00Z', magic: '', version: '' },
  resources: [],
  pendingOperations: [],
  integrityError: undefined,
  snippets: [],
  extensions: {},
}

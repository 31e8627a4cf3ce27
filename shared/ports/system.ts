import type { EpochMs } from '../records/ids.ts'

/** Time. */
export interface ClockPort {
  readonly now: () => EpochMs
  /** Milliseconds that only grow and count suspension. */
  readonly monotonicMs: () => number
  /** Resolves after `ms`; earlier, without error, when `signal` aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** Chance. */
export interface RandomPort {
  readonly uuid: () => string
  readonly bytes: (count: number) => Uint8Array
}

/** Log lines as objects: `event` is a dotted noun.verb. */
export interface LogPort {
  readonly write: (
    level: 'debug' | 'info' | 'warn' | 'error',
    event: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => void
}

import type { ProcessGroup } from '../records/head.ts'
import type { EpochMs } from '../records/ids.ts'

/** Time. */
export interface ClockPort {
  readonly now: () => EpochMs
  /** Milliseconds that only grow and count suspension. */
  readonly monotonicMs: () => number
  /** Resolves after `ms`; earlier, without error, when `signal` aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Calls every `ms` until the answer is called; keeps no process alive by itself. */
  readonly repeat: (ms: number, call: () => void) => () => void
  /** Calls once everything that is going on in this turn has had its say. */
  readonly defer: (call: () => void) => void
}

/** Chance. */
export interface RandomPort {
  readonly uuid: () => string
  readonly bytes: (count: number) => Uint8Array
}

/** Log lines as objects: `event` is a dotted noun.verb. */
export interface LoggerPort {
  readonly write: (
    level: 'debug' | 'info' | 'warn' | 'error',
    event: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => void
}

/** A child process in a process group of its own, that cannot outlive this process. */
export interface ChildProcess {
  readonly pid: number
  readonly stdout: AsyncIterable<Uint8Array>
  readonly stderr: AsyncIterable<Uint8Array>
  /** Resolves once, when the process is gone. Never rejects. */
  readonly exit: Promise<{ readonly code: number | null; readonly signal: string | null }>
  /** Signals the whole group; does nothing when it is gone. */
  readonly signal: (signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL') => void
}

/** Child processes: programs and plugins. */
export interface ProcessesPort {
  /**
   * Throws PLUGIN_FAILED when the command cannot be started. stdin is an open pipe that is never
   * written.
   */
  readonly spawn: (request: {
    readonly command: string
    readonly args: readonly string[]
    readonly cwd: string
    readonly env: Readonly<Record<string, string>>
  }) => ChildProcess
  /** Groups that run now, with the start time of their leader. */
  readonly listGroups: () => readonly ProcessGroup[]
  /** Kills what still runs and ends the supervisor. */
  readonly close: () => Promise<void>
}

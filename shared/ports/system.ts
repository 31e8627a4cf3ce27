import type { ProcessGroup } from '../records/head.ts'
import type { EpochMs } from '../records/ids.ts'

/** The clock. */
export interface ClockPort {
  readonly now: () => EpochMs
  /** Returns milliseconds that never decrease and include time in suspension. */
  readonly monotonicMs: () => number
  /** Resolves after `ms`, or earlier and without an error when `signal` aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /**
   * Calls `callback` every `intervalMs` until the returned function is called. The timer does not
   * keep the process alive.
   */
  readonly repeat: (intervalMs: number, callback: () => void) => () => void
  /** Schedules a callback after the current turn of the event loop. */
  readonly defer: (callback: () => void) => void
}

/** Random values. */
export interface RandomPort {
  readonly uuid: () => string
  readonly bytes: (count: number) => Uint8Array
}

/** The structured logger. `event` has the form `noun.verb`. */
export interface LoggerPort {
  readonly write: (
    level: 'debug' | 'info' | 'warn' | 'error',
    event: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => void
}

/** A child process in its own process group. It cannot outlive this process. */
export interface ChildProcess {
  readonly pid: number
  readonly stdout: AsyncIterable<Uint8Array>
  readonly stderr: AsyncIterable<Uint8Array>
  /** Resolves once, when the process has ended. Never rejects. */
  readonly exit: Promise<{ readonly code: number | null; readonly signal: string | null }>
  /** Signals the whole group. Has no effect after the end of the process. */
  readonly signal: (signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL') => void
}

/** Child processes: programs and plugins. */
export interface ProcessesPort {
  /**
   * Spawns a process. Its standard input is an open pipe without data. Throws PLUGIN_FAILED when
   * the command cannot be started.
   */
  readonly spawn: (request: {
    readonly command: string
    readonly args: readonly string[]
    readonly cwd: string
    readonly env: Readonly<Record<string, string>>
  }) => ChildProcess
  /** Lists the running process groups with the start times of their leaders. */
  readonly listGroups: () => readonly ProcessGroup[]
  /** Kills all running process groups and ends the supervisor. */
  readonly close: () => Promise<void>
}

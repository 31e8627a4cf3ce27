/** Where output goes: what the display writes to as well. */
export interface OutputStream {
  readonly write: (text: string) => unknown
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

/** Everything that a command touches of its terminal and process. */
export interface Io {
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Whether a person can be asked. */
  readonly isTerminal: boolean
  /** Asks one line; '' when the input ends. */
  readonly prompt: (question: string) => Promise<string>
  /** Asks one line without showing what is typed. */
  readonly promptHidden: (question: string) => Promise<string>
  /** All of the standard input. */
  readonly readInput: () => Promise<string>
  /** Calls back at each Ctrl-C or SIGTERM instead of ending; answers how to stop that. */
  readonly onInterrupt: (onSignal: () => void) => () => void
}

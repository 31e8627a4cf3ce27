/** A stream to which commands and the display write. */
export interface OutputStream {
  readonly write: (text: string) => unknown
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

/** The terminal and process of a command. */
export interface Io {
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Whether standard input and standard output are a terminal. */
  readonly isTerminal: boolean
  /** Prompts for one line. Returns '' when the input ends. */
  readonly prompt: (question: string) => Promise<string>
  /** Prompts for one line without echoing it. */
  readonly promptHidden: (question: string) => Promise<string>
  /**
   * Lets the user choose an option with arrows or letters. Returns '' if the user declines. Absent:
   * single keys cannot be read.
   */
  readonly choose?: (
    question: string,
    choice: { readonly options: readonly string[]; readonly initial: string },
  ) => Promise<string>
  /** Returns the whole standard input. Throws FILE_UNREADABLE for bytes that are not UTF-8. */
  readonly readInput: () => Promise<string>
  /**
   * Calls `onSignal` at each Ctrl-C or SIGTERM instead of ending the process. An error of
   * `onSignal` is reported, and ends the process at once with its exit code. Returns the function
   * that removes this handler.
   */
  readonly onInterrupt: (onSignal: () => void) => () => void
}

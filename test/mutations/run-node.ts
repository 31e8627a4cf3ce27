import { spawn } from 'node:child_process'

/** The result of a child process. */
export interface ChildResult {
  /**
   * The exit code; undefined if the child exceeded the time limit and was killed with all of its
   * processes.
   */
  readonly status: number | undefined
  readonly output: string
}

/** Runs Node in a folder, with a time limit, in its own process group. */
export function runNode(
  args: readonly string[],
  options: {
    readonly folder: string
    readonly env: Readonly<Record<string, string | undefined>>
    readonly timeoutMs: number
  },
): Promise<ChildResult> {
  const child = spawn(process.execPath, args, {
    cwd: options.folder,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  let hasTimedOut = false
  const killGroup = (): void => {
    if (child.pid === undefined) return
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The process has just ended.
    }
  }
  const timer = setTimeout(() => {
    hasTimedOut = true
    killGroup()
  }, options.timeoutMs)
  process.once('exit', killGroup)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => {
      clearTimeout(timer)
      process.off('exit', killGroup)
      const output = Buffer.concat(chunks).toString('utf8')
      resolve({ status: hasTimedOut ? undefined : (code ?? 1), output })
    })
  })
}

import { spawn } from 'node:child_process'

/** What a child came to. */
export interface Ended {
  /** undefined: it took too long, and was killed with all that it had started. */
  readonly status: number | undefined
  readonly output: string
}

/** Runs Node in a folder, for a bounded time, in a process group of its own. */
export function runNode(
  words: readonly string[],
  about: {
    readonly folder: string
    readonly env: Readonly<Record<string, string | undefined>>
    readonly withinMs: number
  },
): Promise<Ended> {
  const child = spawn(process.execPath, words, {
    cwd: about.folder,
    env: { ...process.env, ...about.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const heard: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => heard.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => heard.push(chunk))
  let isLate = false
  const killGroup = (): void => {
    if (child.pid === undefined) return
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It has just ended.
    }
  }
  const timer = setTimeout(() => {
    isLate = true
    killGroup()
  }, about.withinMs)
  process.once('exit', killGroup)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => {
      clearTimeout(timer)
      process.off('exit', killGroup)
      const output = Buffer.concat(heard).toString('utf8')
      resolve({ status: isLate ? undefined : (code ?? 1), output })
    })
  })
}

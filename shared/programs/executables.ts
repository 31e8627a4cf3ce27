import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { ProcessesPort } from '../ports/system.ts'
import { forEachLine } from './output-lines.ts'

/** Returns the first executable file with this name in the folders of a PATH. */
export function findOnPath(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(folder => folder !== '')
    .map(folder => join(folder, name))
    .find(isExecutable)
}

/** Reports whether a path is an executable file. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/**
 * The output and exit code of a command. The code is null when the command could not be started or
 * was killed. If it could not be started, `stderr` has the reason.
 */
export interface CommandResult {
  readonly stdout: string
  readonly stderr: string
  readonly code: number | null
}

/** Runs a command until it ends. After `timeoutMs` the command is killed. */
export async function runToEnd(
  processes: ProcessesPort,
  request: Parameters<ProcessesPort['spawn']>[0],
  timeoutMs?: number,
): Promise<CommandResult> {
  let timer: NodeJS.Timeout | undefined
  try {
    const child = processes.spawn(request)
    if (timeoutMs !== undefined) timer = setTimeout(() => child.signal('SIGKILL'), timeoutMs)
    const lines = { stdout: [] as string[], stderr: [] as string[] }
    await Promise.all([
      forEachLine(child.stdout, line => void lines.stdout.push(line)),
      forEachLine(child.stderr, line => void lines.stderr.push(line)),
    ])
    const { code } = await child.exit
    return { stdout: lines.stdout.join('\n'), stderr: lines.stderr.join('\n'), code }
  } catch (thrown) {
    const stderr = thrown instanceof Error ? thrown.message : String(thrown)
    return { stdout: '', stderr, code: null }
  } finally {
    clearTimeout(timer)
  }
}

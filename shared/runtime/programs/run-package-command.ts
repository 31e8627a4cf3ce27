import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { programLimits } from '../../config/program-limits.ts'
import { error, hasCode } from '../../errors/error.ts'
import type { ChildProcess, ClockPort, ProcessesPort } from '../../ports/system.ts'
import { toPrintable } from '../../triggers/printable.ts'

/** Dependencies of package installations. */
export interface PackageInstallDeps {
  readonly processes: ProcessesPort
  readonly clock: Pick<ClockPort, 'now' | 'sleep'>
  /** The parent folder for a temporary home of the package manager. */
  readonly scratch: string
  /**
   * The environment of the package manager and of package scripts, without variables of the
   * function itself.
   */
  readonly env: Readonly<Record<string, string>>
}

/** A file of settings in the temporary home of a package manager. */
export interface HomeFile {
  readonly name: string
  readonly text: string
}

/** A command of a package manager. */
export interface PackageCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly variables?: Readonly<Record<string, string>>
  /** Texts of files in the temporary home, by the variables that name the files. */
  readonly homeFiles?: Readonly<Record<string, HomeFile>>
  /** Texts that the error of a failed installation does not show. */
  readonly secrets?: readonly string[]
  /** The next step for users if the command is not installed. */
  readonly hint?: string
}

/**
 * Runs a package manager with a temporary home and a timeout. Throws INSTALL_FAILED with the last
 * output lines of the package manager.
 */
export async function runPackageManager(
  deps: PackageInstallDeps,
  { command, args, cwd, variables = {}, homeFiles = {}, secrets = [], hint }: PackageCommand,
): Promise<void> {
  const home = mkdtempSync(join(deps.scratch, 'installing-'))
  const homeVariables = writeHomeFiles(home, homeFiles)
  const env = { ...deps.env, ...variables, ...homeVariables, HOME: home, CI: 'true' }
  const commandLine = [basename(command), ...args].join(' ')
  try {
    const child = spawnPackageManager(deps, { command, args, cwd, env }, hint)
    const tails = [readTail(child.stdout), readTail(child.stderr)]
    const timer = new AbortController()
    const timeout = deps.clock
      .sleep(programLimits.installTimeoutMs, timer.signal)
      .then(() => 'late' as const)
    const exit = await Promise.race([child.exit, timeout])
    timer.abort()
    if (exit === 'late') {
      child.signal('SIGKILL')
      throw error('INSTALL_FAILED', `\`${commandLine}\` did not finish within five minutes`)
    }
    if (exit.code === 0) return
    const output = hideSecrets((await Promise.all(tails)).join('\n'), secrets)
    const lines = output.split('\n').slice(-errorLinesMax)
    const shownLines = lines.map(line => toPrintable(line)).join('\n')
    const exitReason = exit.signal ?? `status ${exit.code}`
    throw error(
      'INSTALL_FAILED',
      `\`${commandLine}\` failed with ${exitReason}:\n${shownLines.trim()}`,
    )
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Writes files that only this user can read. Returns the variables with their paths. */
function writeHomeFiles(
  home: string,
  files: Readonly<Record<string, HomeFile>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(files).map(([variable, { name, text }]) => {
      const path = join(home, name)
      writeFileSync(path, text, { mode: 0o600 })
      return [variable, path]
    }),
  )
}

function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '[secret]'), text)
}

/** Maximum number of output lines in the error of a failed installation. */
const errorLinesMax = 20

function spawnPackageManager(
  { processes }: PackageInstallDeps,
  request: Parameters<ProcessesPort['spawn']>[0],
  hint: string | undefined,
): ChildProcess {
  try {
    return processes.spawn(request)
  } catch (thrown) {
    if (!hasCode(thrown, 'PLUGIN_FAILED')) throw thrown
    const message = `the package manager ${request.command} is not installed here`
    throw error('INSTALL_FAILED', message, hint === undefined ? {} : { hint })
  }
}

/**
 * Reads all output of a process, so that the process is not blocked. Returns the last characters.
 */
async function readTail(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let tail = ''
  for await (const chunk of stream)
    tail = (tail + Buffer.from(chunk).toString('utf8')).slice(-programLimits.outputTailCharsMax)
  return tail
}

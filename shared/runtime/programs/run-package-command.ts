import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { programLimits } from '../../config/program-limits.ts'
import { createError, hasCode } from '../../errors/error.ts'
import type { ChildProcess, ClockPort, ProcessesPort } from '../../ports/system.ts'
import { toPrintable } from '../../triggers/printable.ts'
import type { RegistryRefusal } from './registries/explain-registry-refusal.ts'

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
  /**
   * The output that the error does not show: all of stdout, or the lines of a pattern. It only
   * serves `explainFailure`.
   */
  readonly hiddenOutput?: 'stdout' | RegExp
  /** Returns the message and the hint of a failure by the output, if they are known. */
  readonly explainFailure?: (output: string) => RegistryRefusal | undefined
}

/**
 * Runs a package manager with a temporary home and a timeout. Throws INSTALL_FAILED with the last
 * output lines of the package manager.
 */
export async function runPackageManager(
  deps: PackageInstallDeps,
  packageCommand: PackageCommand,
): Promise<void> {
  const { command, args, cwd, variables = {}, homeFiles = {}, hint } = packageCommand
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
      const minutes = programLimits.installTimeoutMs / 60_000
      const reason = `did not finish within ${minutes} minutes`
      throw createError('INSTALL_FAILED', `\`${commandLine}\` ${reason}`)
    }
    if (exit.code === 0) return
    const [stdout = '', stderr = ''] = await Promise.all(tails)
    const exitReason = exit.signal ?? `status ${exit.code}`
    const failure = `\`${commandLine}\` failed with ${exitReason}`
    throw createFailure(packageCommand, { failure, stdout, stderr })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/**
 * Returns the error of a failed package manager: an explained refusal if there is one, and the last
 * output lines of the package manager. Shows no secret.
 */
function createFailure(
  { hiddenOutput, explainFailure, secrets = [] }: PackageCommand,
  { failure, stdout, stderr }: Readonly<Record<'failure' | 'stdout' | 'stderr', string>>,
): Error {
  const [shownStdout, shownStderr] = [hideSecrets(stdout, secrets), hideSecrets(stderr, secrets)]
  const output = `${shownStdout}\n${shownStderr}`
  const shownLines = (hiddenOutput === 'stdout' ? shownStderr : output)
    .split('\n')
    .filter(line => !(hiddenOutput instanceof RegExp && hiddenOutput.test(line)))
    .slice(-errorLinesMax)
    .map(line => toPrintable(line))
  const shownOutput = shownLines.join('\n').trim()
  const refusal = explainFailure?.(output)
  if (refusal === undefined) return createError('INSTALL_FAILED', `${failure}:\n${shownOutput}`)
  // Another failure may have followed, because pip tries all of its indexes.
  const message = `${toPrintable(refusal.message)} (${failure}):\n${shownOutput}`
  return createError('INSTALL_FAILED', message, { hint: toPrintable(refusal.hint, hintCharsMax) })
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

/** Maximum number of characters in the hint of this error. */
const hintCharsMax = 500

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
    throw createError('INSTALL_FAILED', message, hint === undefined ? {} : { hint })
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

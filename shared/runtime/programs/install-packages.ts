import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { programLimits } from '../../config/program-limits.ts'
import { error, hasCode } from '../../errors/error.ts'
import type { ChildProcess, ClockPort, ProcessesPort } from '../../ports/system.ts'
import type { InstalledPackages, InstallJob } from './install-job.ts'
import { lockFiles, type NodePackageManager } from './lock-files.ts'
import { removePackages, writePackageMarker } from './package-marker.ts'
import { toPrintable } from '../../triggers/printable.ts'

/** Dependencies of package installations. */
export interface PackageInstallDeps {
  readonly processes: ProcessesPort
  readonly clock: Pick<ClockPort, 'sleep'>
  /** The parent folder for a temporary home of the package manager. */
  readonly scratch: string
  /**
   * The environment of the package manager and of package scripts, without variables of the
   * function itself.
   */
  readonly env: Readonly<Record<string, string>>
}

/**
 * The arguments that make each supported package manager obey its lock file. The image of the
 * generator has no bun.
 */
const lockedInstallArgs: Readonly<Partial<Record<NodePackageManager, readonly string[]>>> = {
  npm: ['ci', '--no-audit', '--no-fund'],
  pnpm: ['install', '--frozen-lockfile'],
  yarn: ['install', '--frozen-lockfile'],
}
/** The supported package managers, by the program's lock file. */
const managers = lockFiles.flatMap(([lockFile, command]) => {
  const args = lockedInstallArgs[command]
  return args === undefined ? [] : [{ lockFile, command, args }]
})
/** The option of every supported package manager that skips all scripts. */
const ignoreScriptsOption = '--ignore-scripts'

/**
 * The scripts of the program itself that an installation runs. If a program has one of them, its
 * packages are not reused, because the script may write any files.
 */
const programScripts = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
]

const packageForm = z.looseObject({
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
  scripts: z.record(z.string(), z.string()).default({}),
})

/**
 * Installs the packages of the program in `folder` with its package manager, according to its lock
 * file. Packages that the folder already contains are removed first. Nothing is installed if the
 * installed packages would have the marker `knownPackages`, because the caller has them. The
 * packages of a program with one of `programScripts` are always installed, unless scripts are
 * ignored. Throws INSTALL_FAILED with the last output lines of the package manager.
 */
export async function installProgramPackages(
  deps: PackageInstallDeps,
  folder: string,
  job: Pick<InstallJob, 'ignoreScripts' | 'knownPackages'>,
): Promise<InstalledPackages> {
  const { ignoreScripts, knownPackages } = job
  const installation = planInstallation(folder, ignoreScripts)
  if (installation === undefined) return 'none'
  const { manager, marker, canReusePackages } = installation
  removePackages(folder)
  if (canReusePackages && knownPackages === marker) return 'known'
  await runPackageManager(deps, manager, folder)
  writePackageMarker(folder, marker)
  return 'installed'
}

/**
 * Returns the package manager, the marker of the packages, and whether packages with this marker
 * can be reused. Returns undefined for a program without packages.
 */
function planInstallation(folder: string, ignoreScripts: boolean) {
  const text = readIfExists(join(folder, 'package.json'))
  if (text === undefined) return undefined
  const { dependencies, devDependencies, scripts } = parsePackageJson(text)
  const manager = managers.find(({ lockFile }) => existsSync(join(folder, lockFile)))
  if (manager === undefined) {
    if (Object.keys({ ...dependencies, ...devDependencies }).length === 0) return undefined
    const names = managers.map(({ lockFile }) => lockFile).join(', ')
    throw error(
      'INSTALL_FAILED',
      `the program has a package.json with dependencies but no lock file (${names})`,
      { hint: 'Commit the lock file of your package manager next to the package.json.' },
    )
  }
  const { lockFile, command } = manager
  const options = ignoreScripts ? [ignoreScriptsOption] : []
  const hash = createHash('sha256')
    .update(readFileSync(join(folder, lockFile)))
    .update(text)
  const [node] = process.versions.node.split('.')
  const runtime = `node ${node} ${process.platform} ${process.arch}`
  const marker = JSON.stringify([command, hash.digest('hex'), runtime, ...options])
  const canReusePackages =
    ignoreScripts || !programScripts.some(name => scripts[name] !== undefined)
  return {
    manager: { ...manager, args: [...manager.args, ...options] },
    marker,
    canReusePackages,
  }
}

function parsePackageJson(text: string): z.infer<typeof packageForm> {
  try {
    return packageForm.parse(JSON.parse(text))
  } catch {
    throw error('INSTALL_FAILED', 'cannot read the package.json of the program')
  }
}

function readIfExists(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** Runs a package manager with a temporary home and a timeout. */
async function runPackageManager(
  deps: PackageInstallDeps,
  { command, args }: { readonly command: string; readonly args: readonly string[] },
  folder: string,
): Promise<void> {
  const home = mkdtempSync(join(deps.scratch, 'installing-'))
  const env = { ...deps.env, HOME: home, CI: 'true' }
  const commandLine = [command, ...args].join(' ')
  try {
    const child = spawnPackageManager(deps, { command, args, cwd: folder, env })
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
    const lines = (await Promise.all(tails)).join('\n').split('\n').slice(-errorLinesMax)
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

/** Maximum number of output lines in the error of a failed installation. */
const errorLinesMax = 20

function spawnPackageManager(
  { processes }: PackageInstallDeps,
  request: Parameters<ProcessesPort['spawn']>[0],
): ChildProcess {
  try {
    return processes.spawn(request)
  } catch (thrown) {
    if (!hasCode(thrown, 'PLUGIN_FAILED')) throw thrown
    throw error('INSTALL_FAILED', `the package manager ${request.command} is not installed here`)
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

import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { programLimits } from '../../config/program-limits.ts'
import { error, hasCode } from '../../errors/error.ts'
import type { ChildProcess, ClockPort, ProcessesPort } from '../../ports/system.ts'
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
 * A package manager, identified by its lock file, with the arguments that make it obey the lock
 * file.
 */
interface PackageManager {
  readonly lock: string
  readonly command: string
  readonly args: readonly string[]
}

/** The supported package managers, by the program's lock file. */
const managers: readonly PackageManager[] = [
  { lock: 'package-lock.json', command: 'npm', args: ['ci', '--no-audit', '--no-fund'] },
  { lock: 'npm-shrinkwrap.json', command: 'npm', args: ['ci', '--no-audit', '--no-fund'] },
  { lock: 'pnpm-lock.yaml', command: 'pnpm', args: ['install', '--frozen-lockfile'] },
  { lock: 'yarn.lock', command: 'yarn', args: ['install', '--frozen-lockfile'] },
]

/** A file that records the lock file from which the packages were installed. */
const marker = join('node_modules', '.antichain-installed')
/** The program's own scripts that an installation runs. Their results are unknown. */
const ownScripts = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare']

const packageForm = z.looseObject({
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
  scripts: z.record(z.string(), z.string()).default({}),
})

/**
 * Installs the packages of the program in `folder` with its package manager, according to its lock
 * file. Reuses the packages of the `earlier` program's folder when the lock file is the same. Does
 * nothing for a program without packages. Throws INSTALL_FAILED with the last lines of the package
 * manager.
 */
export async function installProgramPackages(
  deps: PackageInstallDeps,
  folder: string,
  earlier: string | undefined,
): Promise<'none' | 'known' | 'installed'> {
  const wanted = readWantedPackages(folder)
  if (wanted === undefined) return 'none'
  const { manager, identity, isRepeatable } = wanted
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
  if (earlier !== undefined && isRepeatable && readIfExists(join(earlier, marker)) === identity) {
    const options = { recursive: true, verbatimSymlinks: true }
    cpSync(join(earlier, 'node_modules'), join(folder, 'node_modules'), options)
    return 'known'
  }
  await runPackageManager(deps, manager, folder)
  if (existsSync(join(folder, 'node_modules'))) writeFileSync(join(folder, marker), identity)
  return 'installed'
}

function readWantedPackages(folder: string) {
  const text = readIfExists(join(folder, 'package.json'))
  if (text === undefined) return undefined
  const { dependencies, devDependencies, scripts } = parsePackageJson(text)
  const manager = managers.find(({ lock }) => existsSync(join(folder, lock)))
  if (manager === undefined) {
    if (Object.keys({ ...dependencies, ...devDependencies }).length === 0) return undefined
    const names = managers.map(({ lock }) => lock).join(', ')
    throw error(
      'INSTALL_FAILED',
      `the program has a package.json with dependencies but no lock file (${names})`,
      { hint: 'Commit the lock file of your package manager next to the package.json.' },
    )
  }
  const { lock, command } = manager
  const hash = createHash('sha256')
    .update(readFileSync(join(folder, lock)))
    .update(text)
  const [node] = process.versions.node.split('.')
  const runtime = `node ${node} ${process.platform} ${process.arch}`
  const identity = JSON.stringify([command, hash.digest('hex'), runtime])
  const isRepeatable = !ownScripts.some(name => scripts[name] !== undefined)
  return { manager, identity, isRepeatable }
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
  { command, args }: PackageManager,
  folder: string,
): Promise<void> {
  const home = mkdtempSync(join(deps.scratch, 'installing-'))
  const env = { ...deps.env, HOME: home, CI: 'true' }
  const commandLine = [command, ...args].join(' ')
  try {
    const child = spawnPackageManager(deps, { command, args, cwd: folder, env })
    const tails = [readTail(child.stdout), readTail(child.stderr)]
    const late = new AbortController()
    const timeout = deps.clock
      .sleep(programLimits.installTimeoutMs, late.signal)
      .then(() => 'late' as const)
    const ended = await Promise.race([child.exit, timeout])
    late.abort()
    if (ended === 'late') {
      child.signal('SIGKILL')
      throw error('INSTALL_FAILED', `\`${commandLine}\` did not finish within five minutes`)
    }
    if (ended.code === 0) return
    const lines = (await Promise.all(tails)).join('\n').split('\n').slice(-linesMax)
    const shown = lines.map(line => toPrintable(line)).join('\n')
    const how = ended.signal ?? `status ${ended.code}`
    throw error('INSTALL_FAILED', `\`${commandLine}\` failed with ${how}:\n${shown.trim()}`)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Output lines of a failed installation in its error. */
const linesMax = 20

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
 * Returns the end of a process's output. It reads all output, so that the process is not blocked.
 */
async function readTail(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let tail = ''
  for await (const chunk of stream)
    tail = (tail + Buffer.from(chunk).toString('utf8')).slice(-programLimits.outputTailMax)
  return tail
}

import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { programLimits } from '../../config/program-limits.ts'
import { error, hasCode } from '../../errors/error.ts'
import type { ChildProcess, ClockPort, ProcessesPort } from '../../ports/system.ts'
import { toPrintable } from '../../triggers/printable.ts'

/** What packages are installed with. */
export interface PackageInstallDeps {
  readonly processes: ProcessesPort
  readonly clock: Pick<ClockPort, 'sleep'>
  /** Where a folder for the package manager's own affairs is made. */
  readonly scratch: string
  /** Of the package manager and of the scripts of packages: nothing of the function's own. */
  readonly env: Readonly<Record<string, string>>
}

/** A package manager by its lock file, which it must obey. */
interface PackageManager {
  readonly lock: string
  readonly command: string
  readonly args: readonly string[]
}

/** Every package manager that is known, by the lock file that a program has. */
const managers: readonly PackageManager[] = [
  { lock: 'package-lock.json', command: 'npm', args: ['ci', '--no-audit', '--no-fund'] },
  { lock: 'npm-shrinkwrap.json', command: 'npm', args: ['ci', '--no-audit', '--no-fund'] },
  { lock: 'pnpm-lock.yaml', command: 'pnpm', args: ['install', '--frozen-lockfile'] },
  { lock: 'yarn.lock', command: 'yarn', args: ['install', '--frozen-lockfile'] },
]

/** Says in a program what its packages were installed from. */
const marker = join('node_modules', '.antichain-installed')
/** Scripts of the program itself that an installation runs: what they make is not known. */
const ownScripts = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare']

const packageForm = z.looseObject({
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
  scripts: z.record(z.string(), z.string()).default({}),
})

/**
 * Installs the packages of the program in `folder` with its own package manager, as its lock file
 * says; or takes them from `known`, the folder of an earlier program, when that has those of the
 * same lock file. Nothing is done for a program without packages. Throws INSTALL_FAILED with
 * the last lines of the package manager.
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
      `the program has a package.json with packages and none of ${names} beside it`,
      { hint: 'Commit the lock file of your package manager beside the package.json.' },
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
    throw error('INSTALL_FAILED', 'the package.json of the program cannot be read')
  }
}

function readIfExists(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** Runs a package manager with a home of its own, bounded in time. */
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
      throw error('INSTALL_FAILED', `\`${commandLine}\` takes longer than five minutes`)
    }
    if (ended.code === 0) return
    const lines = (await Promise.all(tails)).join('\n').split('\n').slice(-linesMax)
    const shown = lines.map(line => toPrintable(line)).join('\n')
    const how = ended.signal ?? `status ${ended.code}`
    throw error('INSTALL_FAILED', `\`${commandLine}\` ended with ${how}:\n${shown.trim()}`)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Lines of a failed installation that are told. */
const linesMax = 20

function spawnPackageManager(
  { processes }: PackageInstallDeps,
  request: Parameters<ProcessesPort['spawn']>[0],
): ChildProcess {
  try {
    return processes.spawn(request)
  } catch (thrown) {
    if (!hasCode(thrown, 'PLUGIN_FAILED')) throw thrown
    throw error('INSTALL_FAILED', `the package manager ${request.command} is not here`)
  }
}

/** The end of what a process says, all of which is read so that it does not stand still. */
async function readTail(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let tail = ''
  for await (const chunk of stream)
    tail = (tail + Buffer.from(chunk).toString('utf8')).slice(-programLimits.outputTailMax)
  return tail
}

import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { projectRoot } from '../assets.ts'

/** The limits of a sandbox, as Lambda enforces them. */
export interface SandboxLimits {
  /** The size of `/tmp`. */
  readonly scratchMb: number
  /** The maximum number of file descriptors of each process. */
  readonly descriptorsMax: number
}

/** A program with its arguments, its folders and its limits. */
export interface SandboxedCommand {
  readonly command: readonly [string, ...string[]]
  /** The folder of the bundle, which the process sees as `taskRoot`. */
  readonly bundleFolder: string
  /** Further folders that the process may write, for test providers that store their objects. */
  readonly writableFolders: readonly string[]
  /** The host name, unique for each sandbox. */
  readonly hostName: string
  readonly limits: SandboxLimits
}

/** The folder of the code, as on Lambda. */
export const taskRoot = '/var/task'

/** Whether processes can be sandboxed on this machine. `reason`: why not, as text for users. */
export type SandboxSupport =
  | { readonly kind: 'supported' }
  | { readonly kind: 'unsupported'; readonly reason: string }

/**
 * Finds out whether this machine can sandbox processes, by starting an empty sandbox. If this
 * process runs as root, it first installs missing bubblewrap with the package manager of Debian.
 */
export function findSandboxSupport(): SandboxSupport {
  if (process.platform !== 'linux')
    return { kind: 'unsupported', reason: 'sandboxes need namespaces of Linux' }
  if (!isInstalled() && process.getuid?.() === 0) installBubblewrap()
  if (!isInstalled())
    return { kind: 'unsupported', reason: 'bwrap is missing; install the package bubblewrap' }
  const { status, stderr } = spawnSync('bwrap', [...namespaceOptions, 'true'], { encoding: 'utf8' })
  if (status === 0) return { kind: 'supported' }
  return { kind: 'unsupported', reason: `bwrap fails: ${stderr.trim().slice(0, 200)}` }
}

const isInstalled = (): boolean => spawnSync('bwrap', ['--version']).status === 0

function installBubblewrap(): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const install = (): number | null =>
    spawnSync('apt-get', ['install', '-y', '-q', 'bubblewrap'], { env, stdio: 'ignore' }).status
  // On a new machine, the lists of packages may be missing or old, so a failed installation is
  // repeated after an update of the lists. The caller checks the result.
  if (install() === 0) return
  spawnSync('apt-get', ['update', '-q'], { env, stdio: 'ignore' })
  install()
}

/**
 * The options with which bwrap isolates a process as Lambda does. The process runs as Lambda's
 * user, whose uid is 993. The sandbox has its own processes and its own host name.
 */
const namespaceOptions = [
  ...['--unshare-user', '--uid', '993', '--gid', '990'],
  ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--die-with-parent'],
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--remount-ro', '/dev', '--proc', '/proc'],
] as const

/**
 * Returns the command that runs a program as Lambda does: as a user without privileges and with a
 * read-only root. Besides `writableFolders`, only a `/tmp` of limited size is writable. The project
 * and its Node stay readable even if their folders are below `/tmp` or `/var`.
 */
export function sandboxCommandOf(options: SandboxedCommand): readonly [string, ...string[]] {
  const { command, bundleFolder, writableFolders, hostName, limits } = options
  const scratchBytes = limits.scratchMb * 1024 * 1024
  const readableFolders = [projectRoot, dirname(process.execPath)]
  return [
    '/bin/sh',
    '-c',
    `ulimit -n ${limits.descriptorsMax} && exec "$@"`,
    'sh',
    'bwrap',
    ...namespaceOptions,
    ...['--hostname', hostName],
    ...['--size', String(scratchBytes), '--tmpfs', '/tmp'],
    ...['--tmpfs', '/var', '--ro-bind', bundleFolder, taskRoot],
    ...readableFolders.flatMap(folder => ['--ro-bind', folder, folder]),
    ...writableFolders.flatMap(folder => ['--bind', folder, folder]),
    ...['--remount-ro', '/var', '--chdir', taskRoot, '--', ...command],
  ]
}

import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { acquireFolderLock } from '../../cli/bootstrap/lock.mjs'
import type { CommandLine, EmulatorRow } from './emulators.ts'

/** An installed emulator with its folder, or the reason why it is missing. */
export type InstallResult =
  | { readonly kind: 'installed'; readonly row: EmulatorRow; readonly folder: string }
  | { readonly kind: 'missing'; readonly row: EmulatorRow; readonly reason: string }

type Env = Readonly<Record<string, string | undefined>>

/** Timeout of one installation command, long enough for a cold build on a busy machine. */
const commandTimeoutMs = 30 * 60_000

/**
 * Returns the folder of installed emulators. It is outside the repository, shared by all clones of
 * this user.
 */
function cacheFolderOf(env: Env): string {
  const base = env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  return join(base, 'antichain', 'emulators')
}

/**
 * Installs an emulator unless it is installed already. One process at a time installs an emulator,
 * and other processes wait for the result. `onMessage` receives progress lines. A missing toolchain
 * and a failed installation are returned, not thrown.
 */
export async function installEmulator(
  row: EmulatorRow,
  env: Env,
  onMessage: (line: string) => void,
): Promise<InstallResult> {
  const folder = join(cacheFolderOf(env), `${row.name}-${row.version}`)
  const isInstalled = (): boolean => existsSync(join(folder, row.installedPath))
  const neededTools = isInstalled() ? row.runtimeTools : row.tools
  const missingTools = neededTools.filter(tool => !isOnPath(tool, env))
  if (missingTools.length > 0)
    return {
      kind: 'missing',
      row,
      reason: `${row.toolchain} is not installed: missing ${missingTools.join(', missing ')}`,
    }
  if (isInstalled()) return { kind: 'installed', row, folder }
  const release = await acquireFolderLock(`${folder}.lock`)
  try {
    if (!isInstalled()) {
      onMessage(
        `installing ${row.name} ${row.version} with ${row.tools.at(-1)} (${row.installDuration})`,
      )
      mkdirSync(folder, { recursive: true })
      for (const [name, text] of Object.entries(row.files ?? {}))
        writeFileSync(join(folder, name), text)
      const startedMs = Date.now()
      for (const commandLine of row.install(folder)) {
        const reason = await runCommand(commandLine, env)
        if (reason !== undefined) return { kind: 'missing', row, reason }
      }
      onMessage(`installed ${row.name} in ${Math.round((Date.now() - startedMs) / 1000)} s`)
    }
  } finally {
    release()
  }
  return { kind: 'installed', row, folder }
}

/** Runs one installation command, whose stderr the user sees. Returns the reason of a failure. */
function runCommand([command = '', ...args]: CommandLine, env: Env): Promise<string | undefined> {
  return new Promise(resolve => {
    const child = spawn(command, args, {
      env: { ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: commandTimeoutMs,
      killSignal: 'SIGKILL',
    })
    child.once('error', thrown => resolve(`${command} cannot be run: ${thrown.message}`))
    child.once('close', (status, signal) =>
      resolve(status === 0 ? undefined : `'${command} …' exited with ${status ?? signal}`),
    )
  })
}

function isOnPath(tool: string, env: Env): boolean {
  return (env['PATH'] ?? '').split(delimiter).some(folder => {
    try {
      accessSync(join(folder, tool), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { takeLock } from '../../cli/bootstrap/lock.mjs'
import type { CommandLine, EmulatorRow } from './emulators.ts'

/** An emulator that is installed, and where; or why it is not. */
export type InstallResult =
  | { readonly kind: 'installed'; readonly row: EmulatorRow; readonly folder: string }
  | { readonly kind: 'missing'; readonly row: EmulatorRow; readonly why: string }

type Env = Readonly<Record<string, string | undefined>>

/** How long one command of an installation may take: a cold build on a busy machine. */
const installMs = 30 * 60_000

/** Where installed emulators stay: outside the repository, for all clones of this user. */
function cacheFolderOf(env: Env): string {
  const base = env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  return join(base, 'antichain', 'emulators')
}

/**
 * Installs an emulator unless it is there. One process at a time does; who waits finds it done.
 * `said` gets lines of progress. A toolchain that is not there, and an installation that fails, are
 * answered and not thrown.
 */
export async function installEmulator(
  row: EmulatorRow,
  env: Env,
  onMessage: (line: string) => void,
): Promise<InstallResult> {
  const folder = join(cacheFolderOf(env), `${row.name}-${row.version}`)
  const isThere = (): boolean => existsSync(join(folder, row.proof))
  const needed = isThere() ? row.runsOn : row.tools
  const absent = needed.filter(tool => !isOnPath(tool, env))
  if (absent.length > 0)
    return {
      kind: 'missing',
      row,
      why: `${row.toolchain} is not there: no ${absent.join(', no ')}`,
    }
  if (isThere()) return { kind: 'installed', row, folder }
  const release = await takeLock(`${folder}.lock`)
  try {
    if (!isThere()) {
      onMessage(`installing ${row.name} ${row.version} with ${row.tools.at(-1)} (${row.takes})`)
      mkdirSync(folder, { recursive: true })
      for (const [name, text] of Object.entries(row.files ?? {}))
        writeFileSync(join(folder, name), text)
      const beganMs = Date.now()
      for (const line of row.install(folder)) {
        const why = await runCommand(line, env)
        if (why !== undefined) return { kind: 'missing', row, why }
      }
      onMessage(`installed ${row.name} in ${Math.round((Date.now() - beganMs) / 1000)} s`)
    }
  } finally {
    release()
  }
  return { kind: 'installed', row, folder }
}

/** Runs one command of an installation; answers what went wrong. Its errors are shown. */
function runCommand([command = '', ...args]: CommandLine, env: Env): Promise<string | undefined> {
  return new Promise(resolve => {
    const child = spawn(command, args, {
      env: { ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: installMs,
      killSignal: 'SIGKILL',
    })
    child.once('error', thrown => resolve(`${command} cannot be run: ${thrown.message}`))
    child.once('close', (status, signal) =>
      resolve(status === 0 ? undefined : `'${command} …' ended with ${status ?? signal}`),
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

/**
 * system: ports over the operating system. Imports ports and below.
 *
 * Invariants of child processes: 1. Each leads its own process group, so a terminal's Ctrl-C does
 * not reach it. 2. None outlives this process, however that ends (process-supervisor.ts). 3.
 * Processes that remain in the group of an ended leader are killed.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { error } from '../../errors/error.ts'
import type { ChildProcess, ProcessesPort } from '../../ports/system.ts'
import type { ProcessGroup } from '../../records/head.ts'
import { signalGroup, startTimeOf } from './process-groups.ts'
import { startSupervisor, type Supervisor } from './process-supervisor.ts'

type SpawnRequest = Parameters<ProcessesPort['spawn']>[0]

/** Creates the child processes of this machine. The supervisor starts with the first child. */
export function createProcesses(): ProcessesPort {
  const running = new Map<number, { group: ProcessGroup; child: ChildProcess }>()
  let supervisor: Supervisor | undefined
  let isClosed = false

  return {
    spawn(request) {
      if (isClosed)
        throw error('PLUGIN_FAILED', `'${request.command}' cannot start, because this run ends`)
      supervisor ??= startSupervisor()
      const watcher = supervisor
      const spawned = spawn(request.command, request.args, {
        cwd: request.cwd,
        env: { ...request.env },
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      const { pid } = spawned
      if (pid === undefined) {
        spawned.on('error', () => {})
        throw error(
          'PLUGIN_FAILED',
          `cannot start '${request.command}': ${explainSpawnFailure(request)}`,
        )
      }
      watcher.add(pid)
      const child = wrapChild(spawned, pid)
      running.set(pid, { group: { pid, started: startTimeOf(pid) }, child })
      void child.exit.then(() => {
        signalGroup(pid, 'SIGKILL')
        running.delete(pid)
        watcher.remove(pid)
      })
      return child
    },
    listGroups: () => [...running.values()].map(({ group }) => group),
    async close() {
      isClosed = true
      const ends = [...running.values()].map(({ child }) => {
        child.signal('SIGKILL')
        return child.exit
      })
      await Promise.all(ends)
      await supervisor?.close()
    },
  }
}

/** Time for which the pipes of an ended process are still read, in ms. */
const pipesMs = 2_000

function wrapChild(
  spawned: ChildProcessByStdio<Writable, Readable, Readable>,
  pid: number,
): ChildProcess {
  let isOver = false
  const exit = new Promise<Awaited<ChildProcess['exit']>>(resolve => {
    spawned.once('exit', (code, signal) => {
      isOver = true
      resolve({ code, signal })
      // Processes that the child left running may keep its pipes open forever, so they are closed.
      setTimeout(() => {
        spawned.stdout.destroy()
        spawned.stderr.destroy()
      }, pipesMs).unref()
    })
  })
  spawned.on('error', () => {})
  spawned.stdin.on('error', () => {})
  return {
    pid,
    stdout: spawned.stdout,
    stderr: spawned.stderr,
    exit,
    signal(signal) {
      // The pid of an ended process may already belong to another process.
      if (!isOver) signalGroup(pid, signal)
    },
  }
}

/**
 * Returns the reason of a failed start. Node reports it only later, but the usual reasons can be
 * checked immediately.
 */
function explainSpawnFailure(request: SpawnRequest): string {
  if (!isDirectory(request.cwd)) return `the folder '${request.cwd}' does not exist`
  if (!request.command.includes('/')) return 'it is not on PATH'
  try {
    accessSync(request.command, constants.F_OK)
    accessSync(request.command, constants.X_OK)
    return 'the system cannot run it'
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : ''
    return code === 'EACCES' ? 'it is not executable' : 'the file does not exist'
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/**
 * The child processes of this machine.
 *
 * Invariants:
 *
 * - Each child leads a process group, so a terminal's Ctrl-C does not reach the child.
 * - No child outlives this process, however this process ends (process-supervisor.ts).
 * - Processes that remain in the group of an ended child are killed.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { createError, messageOf } from '../../errors/error.ts'
import { systemCodeOf } from '../../errors/system-code.ts'
import type { ChildProcess, ProcessesPort } from '../../ports/system.ts'
import type { ProcessGroup } from '../../records/head.ts'
import { signalGroup, startTimeOf } from './process-groups.ts'
import { createSpawnSizeError } from './spawn-size-error.ts'
import { startSupervisor, type Supervisor } from './process-supervisor.ts'

type SpawnRequest = Parameters<ProcessesPort['spawn']>[0]

/**
 * Creates the port for child processes on this machine. The supervisor starts with the first child.
 */
export function createProcesses(): ProcessesPort {
  const runningChildren = new Map<number, { group: ProcessGroup; child: ChildProcess }>()
  let supervisor: Supervisor | undefined
  let isClosed = false

  return {
    spawn(request) {
      if (isClosed)
        throw createError(
          'PLUGIN_FAILED',
          `'${request.command}' cannot start, because this run ends`,
        )
      supervisor ??= startSupervisor()
      const childSupervisor = supervisor
      const nodeProcess = spawnDetached(request)
      const { pid } = nodeProcess
      if (pid === undefined) {
        nodeProcess.on('error', () => {})
        throw createError(
          'PLUGIN_FAILED',
          `cannot start '${request.command}': ${explainSpawnFailure(request)}`,
        )
      }
      childSupervisor.add(pid)
      const child = wrapChild(nodeProcess, pid)
      runningChildren.set(pid, { group: { pid, started: startTimeOf(pid) }, child })
      void child.exit.then(() => {
        // The system gives no new process the id of a group that still has members.
        signalGroup(pid, 'SIGKILL')
        runningChildren.delete(pid)
        childSupervisor.remove(pid)
      })
      return child
    },
    listGroups: () => [...runningChildren.values()].map(({ group }) => group),
    async close() {
      isClosed = true
      const exits = [...runningChildren.values()].map(({ child }) => {
        child.signal('SIGKILL')
        return child.exit
      })
      await Promise.all(exits)
      await supervisor?.close()
    },
  }
}

/**
 * Spawns a process as the leader of a new process group. Node throws some failures of the start
 * immediately, such as ETXTBSY for a busy file, or E2BIG for too large arguments and variables.
 * Such a failure becomes PLUGIN_FAILED.
 */
function spawnDetached(request: SpawnRequest): ChildProcessByStdio<Writable, Readable, Readable> {
  try {
    return spawn(request.command, request.args, {
      cwd: request.cwd,
      env: { ...request.env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  } catch (thrown) {
    if (systemCodeOf(thrown) === 'E2BIG') throw createSpawnSizeError(request, thrown)
    const reason = messageOf(thrown)
    throw createError('PLUGIN_FAILED', `cannot start '${request.command}': ${reason}`, {
      cause: thrown,
    })
  }
}

/** Time for which the pipes of an ended process are still read, in ms. */
const pipeDrainMs = 2_000

function wrapChild(
  nodeProcess: ChildProcessByStdio<Writable, Readable, Readable>,
  pid: number,
): ChildProcess {
  let hasExited = false
  const exit = new Promise<Awaited<ChildProcess['exit']>>(resolve => {
    nodeProcess.once('exit', (code, signal) => {
      hasExited = true
      resolve({ code, signal })
      // Processes that the child left running may keep its pipes open forever, so they are closed.
      setTimeout(() => {
        nodeProcess.stdout.destroy()
        nodeProcess.stderr.destroy()
      }, pipeDrainMs).unref()
    })
  })
  nodeProcess.on('error', () => {})
  nodeProcess.stdin.on('error', () => {})
  return {
    pid,
    stdout: nodeProcess.stdout,
    stderr: nodeProcess.stderr,
    exit,
    signal(signal) {
      // The pid of an ended process may already belong to another process.
      if (!hasExited) signalGroup(pid, signal)
    },
  }
}

/**
 * Returns the reason of a failed start. Node reports the reason only later, in an event. This
 * function therefore checks the usual reasons itself.
 */
function explainSpawnFailure(request: SpawnRequest): string {
  if (!isDirectory(request.cwd)) return `the folder '${request.cwd}' does not exist`
  if (!request.command.includes('/'))
    return 'it is not on PATH, or the limit of processes or open files is reached'
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

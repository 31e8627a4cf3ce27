import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** A process in a sandbox. */
export interface SandboxProcess {
  /** The pid outside the sandbox. */
  readonly pid: number
  /** The pid inside the sandbox. The process 1 only reaps other processes. */
  readonly innerPid: number
}

/**
 * Returns the processes of the sandbox that the process `parentPid` has started: those of one pid
 * namespace. The list is empty before the first process exists, and after the end of the sandbox.
 */
export function listSandboxProcesses(parentPid: number): readonly SandboxProcess[] {
  const pids = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
  const childPid = pids.find(pid => readStatus(pid)?.parentPid === parentPid)
  const namespace = childPid === undefined ? undefined : readNamespace(childPid)
  if (namespace === undefined || namespace === readNamespace(process.pid)) return []
  return pids.flatMap(pid => {
    if (readNamespace(pid) !== namespace) return []
    const status = readStatus(pid)
    return status === undefined ? [] : [{ pid, innerPid: status.innerPid }]
  })
}

/** The resources that all processes of a sandbox use in total. */
export interface SandboxUsage {
  /** Memory that several processes share is divided among them. */
  readonly memoryBytes: number
  readonly descriptors: number
  /** The number of threads. Each process has at least one. */
  readonly threads: number
}

/** Returns the resources that processes use in total. */
export function measureSandboxUsage(processes: readonly SandboxProcess[]): SandboxUsage {
  const sumOf = (measure: (pid: number) => number): number =>
    processes.reduce((sum, { pid }) => sum + measure(pid), 0)
  return {
    memoryBytes: sumOf(measureMemoryBytes),
    descriptors: sumOf(pid => countEntries(pid, 'fd')),
    threads: sumOf(pid => countEntries(pid, 'task')),
  }
}

function measureMemoryBytes(pid: number): number {
  const [, kib = '0'] = /^Pss:\s+(\d+) kB/m.exec(readProcFile(pid, 'smaps_rollup')) ?? []
  return Number(kib) * 1024
}

/** Returns 0 for a process that has ended. */
function countEntries(pid: number, folder: string): number {
  try {
    return readdirSync(`/proc/${pid}/${folder}`).length
  } catch {
    return 0
  }
}

function readNamespace(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`)
  } catch {
    return undefined
  }
}

function readStatus(
  pid: number,
): { readonly parentPid: number; readonly innerPid: number } | undefined {
  const text = readProcFile(pid, 'status')
  const [, statusParentPid] = /^PPid:\s+(\d+)/m.exec(text) ?? []
  const [, innerPid] = /^NSpid:.*\s(\d+)$/m.exec(text) ?? []
  if (statusParentPid === undefined || innerPid === undefined) return undefined
  return { parentPid: Number(statusParentPid), innerPid: Number(innerPid) }
}

/** Returns '' for a process that has ended. */
function readProcFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

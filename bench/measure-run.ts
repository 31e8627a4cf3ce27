import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/**
 * The measurement of one command. `peaksMib`: the highest resident memory of a single process, by
 * kind of process. `cpuSeconds`: the processor time of all processes of a kind.
 */
export interface RunMeasurement {
  readonly seconds: number
  readonly exitCode: number
  readonly peaksMib: Readonly<Record<string, number>>
  readonly cpuSeconds: Readonly<Record<string, number>>
}

/** The usage of one process so far. */
interface Usage {
  readonly kind: string
  readonly peakKib: number
  readonly ticks: number
}

/** Clock ticks per second in /proc, a constant of Linux (USER_HZ). */
const ticksPerSecond = 100
const sampleIntervalMs = 50
/** Number of characters of a failed command's messages that are shown. */
const shownChars = 2_000

/**
 * Runs a command to its end and measures it with all its descendants. Prints the last messages of a
 * command that fails.
 */
export function measureRun(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<RunMeasurement> {
  return new Promise((resolve, reject) => {
    const startNs = process.hrtime.bigint()
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
    let messages = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      messages = (messages + text).slice(-shownChars)
    })
    const usages = new Map<number, Usage>()
    const sampler = setInterval(() => sampleProcesses(child.pid ?? 0, usages), sampleIntervalMs)
    child.on('error', thrown => {
      clearInterval(sampler)
      reject(thrown)
    })
    child.on('exit', exitCode => {
      clearInterval(sampler)
      const seconds = Number(process.hrtime.bigint() - startNs) / 1e9
      if (exitCode !== 0) console.error(messages)
      resolve({
        seconds: Math.round(seconds * 1000) / 1000,
        exitCode: exitCode ?? 1,
        ...sumUsages(usages),
      })
    })
  })
}

/** Returns the highest peak and the total processor time by kind of process. */
function sumUsages(
  usages: ReadonlyMap<number, Usage>,
): Pick<RunMeasurement, 'peaksMib' | 'cpuSeconds'> {
  const peaksMib: Record<string, number> = {}
  const cpuSeconds: Record<string, number> = {}
  for (const { kind, peakKib, ticks } of usages.values()) {
    peaksMib[kind] = Math.max(peaksMib[kind] ?? 0, Math.round(peakKib / 1024))
    const seconds = (cpuSeconds[kind] ?? 0) + ticks / ticksPerSecond
    cpuSeconds[kind] = Math.round(seconds * 100) / 100
  }
  return { peaksMib, cpuSeconds }
}

interface ProcessEntry {
  readonly pid: number
  readonly parentPid: number
}

/** Records peak memory and processor time of the process `root` and all its descendants. */
function sampleProcesses(root: number, usages: Map<number, Usage>): void {
  const entries = readdirSync('/proc').flatMap(name =>
    /^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : [],
  )
  const processTree = new Set([root])
  // The list may have a process before its parent. Two passes find nearly all descendants.
  for (let pass = 0; pass < 2; pass++)
    for (const { pid, parentPid } of entries) if (processTree.has(parentPid)) processTree.add(pid)
  for (const pid of processTree) {
    const peak = Number(/VmHWM:\s+(\d+)/.exec(readOrEmpty(`/proc/${pid}/status`))?.[1] ?? 0)
    const kind = processKindOf(readOrEmpty(`/proc/${pid}/cmdline`))
    const ticks = ticksOf(readOrEmpty(`/proc/${pid}/stat`))
    // The kind of a process changes when it calls exec. The map has the last kind.
    if (peak > 0 && kind !== '') usages.set(pid, { kind, peakKib: peak, ticks })
  }
}

function readProcess(pid: number): ProcessEntry | undefined {
  const stat = readOrEmpty(`/proc/${pid}/stat`)
  const parentPid = /\) \S (\d+) /.exec(stat)?.[1]
  return parentPid === undefined ? undefined : { pid, parentPid: Number(parentPid) }
}

/** Returns the processor time in the text of /proc/<pid>/stat, in clock ticks. */
function ticksOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // After the name of the process, these are the fields `utime` and `stime`.
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
}

/** Returns the kind of a process from its command line, or '' if it is not measured. */
function processKindOf(cmdline: string): string {
  if (/cmd\/run|bench-go\/[0-9a-f]+\/program/.test(cmdline)) return 'program'
  if (/dynamic-provider|pulumi-resource-|terraform-provider-/.test(cmdline)) return 'provider'
  if (cmdline.includes('null-monitor')) return 'null engine'
  if (/(^|\/)tofu\0/.test(cmdline)) return 'tofu'
  if (/cli\/(main\.mjs|main\.ts|antichain)/.test(cmdline)) return 'antichain'
  if (/language-(nodejs|go)/.test(cmdline)) return 'language host'
  return cmdline.includes('pulumi') ? 'pulumi' : ''
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

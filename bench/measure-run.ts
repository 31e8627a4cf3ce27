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
  readonly name: string
  readonly peakKib: number
  readonly ticks: number
}

/** Clock ticks per second in /proc, a constant of Linux (USER_HZ). */
const ticksPerSecond = 100
const sampleIntervalMs = 50

/** Runs a command to its end and measures it with all its descendants. */
export function measureRun(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<RunMeasurement> {
  return new Promise((resolve, reject) => {
    const startNs = process.hrtime.bigint()
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'ignore'] })
    const usages = new Map<number, Usage>()
    const sampler = setInterval(() => sampleProcesses(child.pid ?? 0, usages), sampleIntervalMs)
    child.on('error', thrown => {
      clearInterval(sampler)
      reject(thrown)
    })
    child.on('exit', exitCode => {
      clearInterval(sampler)
      const seconds = Number(process.hrtime.bigint() - startNs) / 1e9
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
  for (const { name, peakKib, ticks } of usages.values()) {
    peaksMib[name] = Math.max(peaksMib[name] ?? 0, Math.round(peakKib / 1024))
    const seconds = (cpuSeconds[name] ?? 0) + ticks / ticksPerSecond
    cpuSeconds[name] = Math.round(seconds * 100) / 100
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
  // Child processes have higher numbers than their parents, except after a wrap-around. Two passes
  // find nearly all of them.
  for (let pass = 0; pass < 2; pass++)
    for (const { pid, parentPid } of entries) if (processTree.has(parentPid)) processTree.add(pid)
  for (const pid of processTree) {
    const peak = Number(/VmHWM:\s+(\d+)/.exec(readOrEmpty(`/proc/${pid}/status`))?.[1] ?? 0)
    const name = processNameOf(readOrEmpty(`/proc/${pid}/cmdline`))
    const ticks = ticksOf(readOrEmpty(`/proc/${pid}/stat`))
    // A process changes its name on exec. The map has the last name.
    if (peak > 0 && name !== '') usages.set(pid, { name, peakKib: peak, ticks })
  }
}

function readProcess(pid: number): ProcessEntry | undefined {
  const stat = readOrEmpty(`/proc/${pid}/stat`)
  const parentPid = /\) \S (\d+) /.exec(stat)?.[1]
  return parentPid === undefined ? undefined : { pid, parentPid: Number(parentPid) }
}

/** Returns the processor time of the process and its threads, in clock ticks. */
function ticksOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
}

function processNameOf(cmdline: string): string {
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

/**
 * bench: measures whole commands, ours and the real CLI's, in one run on one machine. Prints one
 * JSON line a measurement. Imports everything; nothing imports it.
 */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** What one command took. Peaks: the most resident memory of each kind of process, in MiB. */
export interface Measured {
  readonly seconds: number
  readonly code: number
  readonly peaksMib: Readonly<Record<string, number>>
}

const sampleMs = 50

/** Runs a command to its end and measures it with all its descendants. */
export function measuredRun(
  command: string,
  words: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const began = process.hrtime.bigint()
    const child = spawn(command, words, { ...options, stdio: ['ignore', 'ignore', 'ignore'] })
    const peaks = new Map<string, number>()
    const sampling = setInterval(() => sample(child.pid ?? 0, peaks), sampleMs)
    child.on('error', reject)
    child.on('exit', code => {
      clearInterval(sampling)
      const seconds = Number(process.hrtime.bigint() - began) / 1e9
      const peaksMib = Object.fromEntries(
        [...peaks].map(([name, kib]) => [name, Math.round(kib / 1024)]),
      )
      resolve({ seconds: Math.round(seconds * 1000) / 1000, code: code ?? 1, peaksMib })
    })
  })
}

interface Seen {
  readonly pid: number
  readonly parent: number
}

/** Notes the high-water mark of every process below `root`. */
function sample(root: number, peaks: Map<string, number>): void {
  const all = readdirSync('/proc').flatMap(name =>
    /^\d+$/.test(name) ? (seenProcess(Number(name)) ?? []) : [],
  )
  const below = new Set([root])
  // Children have higher numbers than their parents but for wrap-around: two passes find nearly
  // all.
  for (let pass = 0; pass < 2; pass++)
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid)
  for (const pid of below) {
    const peak = Number(/VmHWM:\s+(\d+)/.exec(readOrNothing(`/proc/${pid}/status`))?.[1] ?? 0)
    const name = nameOf(readOrNothing(`/proc/${pid}/cmdline`))
    if (peak > 0 && name !== '') peaks.set(name, Math.max(peaks.get(name) ?? 0, peak))
  }
}

function seenProcess(pid: number): Seen | undefined {
  const stat = readOrNothing(`/proc/${pid}/stat`)
  const parent = /\) \S (\d+) /.exec(stat)?.[1]
  return parent === undefined ? undefined : { pid, parent: Number(parent) }
}

function nameOf(cmdline: string): string {
  if (cmdline.includes('cmd/run')) return 'program'
  if (cmdline.includes('dynamic-provider') || cmdline.includes('pulumi-resource-'))
    return 'provider'
  if (cmdline.includes('main.ts') || cmdline.includes('cli/antichain')) return 'antichain'
  if (cmdline.includes('language-nodejs')) return 'language host'
  return cmdline.includes('pulumi') ? 'pulumi' : ''
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

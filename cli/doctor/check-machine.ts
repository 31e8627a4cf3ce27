import { existsSync, readdirSync, statSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type AreaReport, createAreaReport, type Finding } from './finding.ts'

/** The facts about a machine. */
export interface MachineFacts {
  readonly nodeVersion: string
  readonly home: string
  readonly freeBytes: number
  readonly nowMs: number
  /** The latest time of a change in the store. 0 without a store. */
  readonly lastChangeMs: number
}

/** The free disk space below which a deployment may fail in the middle. */
const freeBytesMin = 500 * 2 ** 20
/** A clock with an earlier time is wrong, because this version was written later. */
const earliestMs = Date.UTC(2026, 10, 1)
/** Times of file systems may be later than the clock by this much. */
const toleranceMs = 60_000

/** Reads the facts about this machine. `home` is the folder of all state, and may not exist yet. */
export function readMachineFacts(home: string): MachineFacts {
  let folder = home
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  const { bavail, bsize } = statfsSync(folder)
  return {
    nodeVersion: process.version,
    home,
    freeBytes: bavail * bsize,
    nowMs: Date.now(),
    lastChangeMs: Math.max(0, ...listChangeTimes(join(home, 'store'))),
  }
}

/** Lists the times of changes in a folder. The check of the store reports an unreadable folder. */
function listChangeTimes(folder: string): readonly number[] {
  try {
    const files = readdirSync(folder).map(name => join(folder, name))
    return files.map(file => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  } catch {
    return []
  }
}

/** Checks the disk and the clock of a machine. */
export function checkMachine(facts: MachineFacts): AreaReport {
  const freeMb = Math.floor(facts.freeBytes / 2 ** 20)
  return createAreaReport('machine', [
    `Node ${facts.nodeVersion.slice(1)} runs antichain`,
    facts.freeBytes >= freeBytesMin
      ? `${freeMb} MB are free for ${facts.home}`
      : {
          subject: facts.home,
          problem: `the disk has only ${freeMb} MB of free space`,
          remedy: 'Free at least 500 MB, or set ANTICHAIN_HOME to a folder on a larger disk.',
        },
    checkClock(facts),
  ])
}

function checkClock({ nowMs, lastChangeMs }: MachineFacts): string | Omit<Finding, 'area'> {
  const now = new Date(nowMs).toISOString()
  const remedy = 'Set the clock, for example with `timedatectl set-ntp true`.'
  if (nowMs < earliestMs)
    return { subject: 'clock', problem: `the clock shows ${now}, which is in the past`, remedy }
  if (lastChangeMs > nowMs + toleranceMs) {
    const changedAt = new Date(lastChangeMs).toISOString()
    const problem = `the clock shows ${now}, but the store was changed at ${changedAt}`
    return { subject: 'clock', problem, remedy }
  }
  return `the clock shows ${now}`
}

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { ProcessGroup } from '../../records/head.ts'

/**
 * Position of `starttime` behind the command name in /proc/<pid>/stat (field 22; the name is field
 * 2).
 */
const startField = 19

/** States of a process that is over but still listed. */
const overStates = ['Z', 'X', 'x']

/**
 * When a process started, as text that tells it from a later one with the same pid; '' when there
 * is none. Clock ticks since boot on Linux, a date elsewhere.
 */
export function startTimeOf(pid: number): string {
  if (!Number.isInteger(pid) || pid <= 0) return ''
  return process.platform === 'linux' ? readLinuxStartTime(pid) : readPsStartTime(pid)
}

/** Whether this very process still runs. */
export function isAlive(group: ProcessGroup): boolean {
  return group.started !== '' && startTimeOf(group.pid) === group.started
}

/**
 * Ends a group at once if its leader is still the one that was recorded. Returns whether it did.
 */
export function killGroup(group: ProcessGroup): boolean {
  return isAlive(group) && signalGroup(group.pid, 'SIGKILL')
}

/** Signals all processes of a group. Returns false when there is none left. */
export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}

function readLinuxStartTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The command name may hold spaces and brackets; what counts stands behind the last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return overStates.includes(fields[0] ?? '') ? '' : (fields[startField] ?? '')
  } catch {
    return ''
  }
}

function readPsStartTime(pid: number): string {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
    const [state = '', ...start] = line.split(/\s+/)
    return overStates.includes(state.charAt(0)) ? '' : start.join(' ')
  } catch {
    return ''
  }
}

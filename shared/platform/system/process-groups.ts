import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { ProcessGroup } from '../../records/head.ts'

/**
 * Index of the field `starttime` among the fields after the command name in /proc/<pid>/stat. It is
 * field 22, and the command name is field 2.
 */
const startTimeFieldIndex = 19

/** States of a process that has ended but is still listed. */
const endedStates = ['Z', 'X', 'x']

/**
 * Returns the start time of a process as text: on Linux the clock ticks since boot, elsewhere a
 * date. The text differs for a later process with the same pid. Returns '' when no process has the
 * pid, or the process has ended.
 */
export function startTimeOf(pid: number): string {
  if (!Number.isInteger(pid) || pid <= 0) return ''
  return process.platform === 'linux' ? readLinuxStartTime(pid) : readPsStartTime(pid)
}

/**
 * Reports whether a process still runs: the leader of a group, or a holder. Returns false for a
 * later process with the same pid.
 */
export function isProcessAlive(leader: ProcessGroup): boolean {
  return leader.started !== '' && startTimeOf(leader.pid) === leader.started
}

/**
 * Kills a group if its leader is still the recorded process. Returns whether it sent the signal.
 */
export function killGroup(group: ProcessGroup): boolean {
  return isProcessAlive(group) && signalGroup(group.pid, 'SIGKILL')
}

/** Sends a signal to all processes of a group. Returns false when it reached no process. */
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
    // The command name may contain spaces and parentheses, so the fields are counted after the last
    // closing parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return endedStates.includes(fields[0] ?? '') ? '' : (fields[startTimeFieldIndex] ?? '')
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
    const [state = '', ...startTimeWords] = line.split(/\s+/)
    return endedStates.includes(state.charAt(0)) ? '' : startTimeWords.join(' ')
  } catch {
    return ''
  }
}

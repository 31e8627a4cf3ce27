/** Commands of an engine, and the ways to end them early. */
import { spawn } from 'node:child_process'

const timeoutMs = 240_000
const pollMs = 50
/** The time between the moment that a step waits for and the kill. */
const killDelayMs = 300

/** Quotes an argument for a shell. */
export const quoteArgument = argument => `'${String(argument).replaceAll("'", "'\\''")}'`

/**
 * Runs a shell command in a process group of its own. Returns its exit code, its outputs, and
 * whether it was too slow. `ending` is `kill` (of the group), `interrupt` (of the command) or
 * undefined. The ending happens as soon as `isReached` returns true.
 */
export function runCommand(command, { folder, env, ending, isReached }) {
  return new Promise(resolve => {
    const stdio = ['ignore', 'pipe', 'pipe']
    const child = spawn('/bin/sh', ['-c', `exec ${command}`], {
      cwd: folder,
      env,
      stdio,
      detached: true,
    })
    const result = { code: 0, out: '', err: '', isLate: false }
    let isKilled = false
    const timer = setTimeout(() => {
      result.isLate = true
      sendSignal(-child.pid, 'SIGKILL')
    }, timeoutMs)
    const killGroup = () => {
      isKilled = true
      sendSignal(-child.pid, 'SIGKILL')
      // A provider that survives the kill would keep the outputs open.
      child.stdout.destroy()
      child.stderr.destroy()
    }
    const poll = setInterval(() => {
      if (ending === undefined || !isReached()) return
      clearInterval(poll)
      if (ending === 'interrupt') sendSignal(child.pid, 'SIGINT')
      else setTimeout(killGroup, killDelayMs)
    }, pollMs)
    child.stdout.on('data', chunk => {
      result.out += chunk
    })
    child.stderr.on('data', chunk => {
      result.err += chunk
    })
    child.on('close', code => {
      clearTimeout(timer)
      clearInterval(poll)
      result.code = result.isLate ? 124 : isKilled || code === null ? 1 : code
      resolve(result)
    })
  })
}

/** Sends a signal. A process that has already ended is ignored. */
function sendSignal(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch (thrown) {
    if (thrown.code !== 'ESRCH') throw thrown
  }
}

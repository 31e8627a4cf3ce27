/** Runs one command of the project to its end. */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { createOwnVariables, root } from './paths.mjs'
import { createBootstrapFailure } from './messages.mjs'

/**
 * Runs a command on our Node's PATH and answers its exit status (128 + n when signal n ended it).
 * `onOutput`, when present, also gets its standard output; of a `quiet` one only the errors of a
 * failure show.
 */
export function runChild(file, args, { env = createOwnVariables(), onOutput, quiet = false } = {}) {
  const output = quiet ? 'ignore' : onOutput === undefined ? 'inherit' : 'pipe'
  const errors = quiet ? 'pipe' : 'inherit'
  const child = spawn(file, args, { cwd: root, env, stdio: ['inherit', output, errors] })
  const complaints = []
  child.stderr?.on('data', chunk => complaints.push(chunk))
  child.stdout?.on('data', chunk => {
    process.stdout.write(chunk)
    onOutput(String(chunk))
  })
  const { lastSignal, letGo: stopPassing } = passSignals(child)
  return new Promise((settled, failed) => {
    child.on('error', thrown =>
      failed(
        createBootstrapFailure(
          `cannot run ${file}: ${thrown.message}`,
          'run `npm ci` to reinstall it',
        ),
      ),
    )
    child.on('close', (code, signal) => {
      if (code !== 0) for (const chunk of complaints) process.stderr.write(chunk)
      // After a signal to this process nothing more may begin.
      if (lastSignal() !== undefined) process.exit(128 + constants.signals[lastSignal()])
      settled(code ?? 128 + constants.signals[signal])
    })
  }).finally(stopPassing)
}

/**
 * Passes signals on to the child. This process outlives the child, so that the user's shell waits
 * for it. Ctrl-C reaches the child from the terminal. Passing it on would count as a second Ctrl-C,
 * which means "abandon". `lastSignal` returns the last signal that was passed on.
 */
function passSignals(child) {
  let received
  const pass = signal => {
    received = signal
    child.kill(signal)
  }
  const interrupt = process.stdin.isTTY ? () => {} : pass
  process.on('SIGINT', interrupt).on('SIGTERM', pass)
  const stopPassing = () => void process.off('SIGINT', interrupt).off('SIGTERM', pass)
  return { lastSignal: () => received, letGo: stopPassing }
}

/** Runs a child process for a command of the bootstrap. */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { createProjectVariables, root } from './paths.mjs'
import { createBootstrapFailure } from './messages.mjs'

/**
 * Runs a command, by default with the project's Node first in PATH. Returns the exit status of the
 * command, or 128 + n if signal n ended it. `onOutput`, if present, also receives the standard
 * output. With `quiet`, only the standard error of a failed command is printed.
 */
export function runChild(
  file,
  args,
  { env = createProjectVariables(), onOutput, quiet = false } = {},
) {
  const output = quiet ? 'ignore' : onOutput === undefined ? 'inherit' : 'pipe'
  const errors = quiet ? 'pipe' : 'inherit'
  const child = spawn(file, args, { cwd: root, env, stdio: ['inherit', output, errors] })
  const errorChunks = []
  child.stderr?.on('data', chunk => errorChunks.push(chunk))
  child.stdout?.on('data', chunk => {
    process.stdout.write(chunk)
    onOutput(String(chunk))
  })
  const { lastSignal, stopForwarding } = forwardSignals(child)
  return new Promise((resolve, reject) => {
    child.on('error', thrown =>
      reject(
        createBootstrapFailure(
          `cannot run ${file}: ${thrown.message}`,
          'run `npm ci` to reinstall it',
        ),
      ),
    )
    child.on('close', (code, signal) => {
      if (code !== 0) for (const chunk of errorChunks) process.stderr.write(chunk)
      // After a forwarded signal, this process must not start another command.
      if (lastSignal() !== undefined) process.exit(128 + constants.signals[lastSignal()])
      resolve(code ?? 128 + constants.signals[signal])
    })
  }).finally(stopForwarding)
}

/**
 * Forwards signals to the child. This process outlives the child, so that the user's shell waits
 * for the child. In a terminal, Ctrl-C reaches the child directly. Forwarding it too would count as
 * a second Ctrl-C, which means "abandon". `lastSignal` returns the last forwarded signal.
 */
function forwardSignals(child) {
  let lastForwarded
  const forward = signal => {
    lastForwarded = signal
    child.kill(signal)
  }
  const onInterrupt = process.stdin.isTTY ? () => {} : forward
  process.on('SIGINT', onInterrupt).on('SIGTERM', forward)
  const stopForwarding = () => void process.off('SIGINT', onInterrupt).off('SIGTERM', forward)
  return { lastSignal: () => lastForwarded, stopForwarding }
}

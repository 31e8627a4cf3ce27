/** Runs one command of ours to its end. */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { ourEnvironment, root } from './places.mjs'
import { failure } from './saying.mjs'

/**
 * Runs a command on our Node's PATH and answers its exit status (128 + n when signal n ended it).
 * `heard`, when given, also gets its standard output; of a `quiet` one only the errors of a failure
 * show.
 */
export function runChild(file, words, { env = ourEnvironment(), heard, quiet = false } = {}) {
  const output = quiet ? 'ignore' : heard === undefined ? 'inherit' : 'pipe'
  const errors = quiet ? 'pipe' : 'inherit'
  const child = spawn(file, words, { cwd: root, env, stdio: ['inherit', output, errors] })
  const complaints = []
  child.stderr?.on('data', chunk => complaints.push(chunk))
  child.stdout?.on('data', chunk => {
    process.stdout.write(chunk)
    heard(String(chunk))
  })
  const { heardSignal, letGo } = passSignals(child)
  return new Promise((settled, failed) => {
    child.on('error', thrown =>
      failed(failure(`${file} cannot be run: ${thrown.message}`, 'run `npm ci` to bring it back')),
    )
    child.on('close', (code, signal) => {
      if (code !== 0) for (const chunk of complaints) process.stderr.write(chunk)
      // Whoever ends us wants nothing more to begin.
      if (heardSignal() !== undefined) process.exit(128 + constants.signals[heardSignal()])
      settled(code ?? 128 + constants.signals[signal])
    })
  }).finally(letGo)
}

/**
 * We outlive the child, so that the person's shell waits for it. Ctrl-C reaches the child from the
 * terminal itself; passing it on as well would count as a second one, which means "abandon".
 * `heardSignal` answers the last one that was passed on.
 */
function passSignals(child) {
  let heard
  const pass = signal => {
    heard = signal
    child.kill(signal)
  }
  const interrupt = process.stdin.isTTY ? () => {} : pass
  process.on('SIGINT', interrupt).on('SIGTERM', pass)
  const letGo = () => void process.off('SIGINT', interrupt).off('SIGTERM', pass)
  return { heardSignal: () => heard, letGo }
}

/**
 * `npm run emulators`: installs and starts the emulators, prints the variables for their clients,
 * and runs until it gets a shutdown signal. With `-- command…` it runs that command with the
 * variables, and exits with the status of the command. With CI set, a missing emulator makes the
 * status 1.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isTruthy } from '../../shared/config/truthy.ts'
import { installEmulator } from './install-emulator.ts'
import { emulators } from './emulators.ts'
import { endpointVariableOf, startEmulators } from './start-emulators.ts'
import { watchShutdownSignal } from '../shutdown-signal.ts'

/** The variable with the id of this process. A signal to this process stops the emulators. */
const pidVariable = 'ANTICHAIN_EMULATORS_PID'

const report = (line: string): void => console.error(`· ${line}`)

async function main(args: readonly string[]): Promise<number> {
  const separator = args.indexOf('--')
  const command = separator === -1 ? undefined : args.slice(separator + 1)
  const unknownArguments = args.slice(0, separator === -1 ? args.length : separator)
  if (unknownArguments.length > 0 || command?.length === 0) {
    console.error('error: emulators takes no arguments except -- and a command')
    return 2
  }
  const installResults = []
  // Installs in sequence, because concurrent cold builds slow each other down.
  for (const row of emulators) installResults.push(await installEmulator(row, process.env, report))
  const missingEmulators = installResults.filter(result => result.kind === 'missing')
  for (const { row, reason } of missingEmulators)
    for (const service of row.services)
      console.error(`SKIPPED: everything that needs ${service} (${row.name}): ${reason}`)
  const isMissingAnError = missingEmulators.length > 0 && isTruthy(process.env['CI'])
  const startedMs = Date.now()
  const runningEmulators = await startEmulators(
    installResults.filter(result => result.kind === 'installed'),
  )
  try {
    const names = installResults.flatMap(result =>
      result.kind === 'installed' ? [result.row.name] : [],
    )
    report(`${names.join(', ')} are ready after ${((Date.now() - startedMs) / 1000).toFixed(1)} s`)
    if (command !== undefined) {
      const status = await runWithEmulators(command, runningEmulators.variables)
      return isMissingAnError && status === 0 ? 1 : status
    }
    // Prints all variables together, so that a reader of the first line has all of them.
    const exportedVariables = { ...runningEmulators.variables, [pidVariable]: String(process.pid) }
    console.log(
      Object.entries(exportedVariables)
        .map(([name, value]) => `export ${name}=${value}`)
        .join('\n'),
    )
    const shutdown = watchShutdownSignal()
    const reason = await Promise.race([
      runningEmulators.unexpectedExit,
      shutdown.whenReceived,
    ]).finally(shutdown.release)
    if (reason !== undefined) console.error(`error: ${reason}`)
    return reason === undefined && !isMissingAnError ? 0 : 1
  } finally {
    await runningEmulators.stop()
  }
}

/**
 * Runs a command to its end, and returns its exit status. Forwards signals to the command. The
 * command gets no endpoint variables but those of the running emulators.
 */
function runWithEmulators(
  [file = '', ...args]: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<number> {
  const endpointVariables = emulators.flatMap(({ services }) => services.map(endpointVariableOf))
  const otherVariables = Object.entries(process.env).filter(
    ([name]) => !endpointVariables.includes(name),
  )
  const child = spawn(file, args, {
    env: { ...Object.fromEntries(otherVariables), ...variables },
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', thrown => reject(new Error(`'${file}' cannot be run: ${thrown.message}`)))
    child.once('close', (status, signal) =>
      resolve(status ?? 128 + (signal === null ? 1 : constants.signals[signal])),
    )
  })
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (thrown) {
  console.error(`error: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  process.exitCode = 1
}

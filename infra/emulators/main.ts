/**
 * `npm run emulators`: installs and starts the emulators, prints the variables for their clients,
 * and runs until it is told to stop. With `-- command…` it runs that command with the variables,
 * and exits with its status. With CI set, a missing emulator makes the status 1.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isTruthy } from '../../shared/config/truthy.ts'
import { installEmulator } from './install-emulator.ts'
import { emulators } from './emulators.ts'
import { endpointVariableOf, startEmulators } from './start-emulators.ts'
import { watchShutdownSignal } from '../shutdown-signal.ts'

/** The variable with the process that stops them. */
const pidVariable = 'ANTICHAIN_EMULATORS_PID'

const report = (line: string): void => console.error(`· ${line}`)

async function main(args: readonly string[]): Promise<number> {
  const separator = args.indexOf('--')
  const command = separator === -1 ? undefined : args.slice(separator + 1)
  const unknown = args.slice(0, separator === -1 ? args.length : separator)
  if (unknown.length > 0 || command?.length === 0) {
    console.error('error: emulators takes no arguments except -- and a command')
    return 2
  }
  const all = []
  // Installs in sequence, because concurrent cold builds slow each other down.
  for (const row of emulators) all.push(await installEmulator(row, process.env, report))
  const missing = all.filter(one => one.kind === 'missing')
  for (const { row, why } of missing)
    for (const service of row.services)
      console.error(`SKIPPED: everything that needs ${service} (${row.name}): ${why}`)
  const isStrict = missing.length > 0 && isTruthy(process.env['CI'])
  const beganMs = Date.now()
  const started = await startEmulators(all.filter(one => one.kind === 'installed'))
  try {
    const names = all.flatMap(one => (one.kind === 'installed' ? [one.row.name] : []))
    report(`${names.join(', ')} are ready after ${((Date.now() - beganMs) / 1000).toFixed(1)} s`)
    if (command !== undefined) {
      const status = await runWithEmulators(command, started.variables)
      return isStrict && status === 0 ? 1 : status
    }
    // Prints all variables at once, so that a reader of the first line has all of them.
    const exported = { ...started.variables, [pidVariable]: String(process.pid) }
    console.log(
      Object.entries(exported)
        .map(([name, value]) => `export ${name}=${value}`)
        .join('\n'),
    )
    const shutdown = watchShutdownSignal()
    const why = await Promise.race([started.died, shutdown.received]).finally(shutdown.release)
    if (why !== undefined) console.error(`error: ${why}`)
    return why === undefined && !isStrict ? 0 : 1
  } finally {
    await started.stop()
  }
}

/** Runs a command to its end, regardless of signals. Its environment has no other endpoints. */
function runWithEmulators(
  [file = '', ...args]: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<number> {
  const before = emulators.flatMap(({ services }) => services.map(endpointVariableOf))
  const kept = Object.entries(process.env).filter(([name]) => !before.includes(name))
  const child = spawn(file, args, {
    env: { ...Object.fromEntries(kept), ...variables },
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, failed) => {
    child.once('error', thrown => failed(new Error(`'${file}' cannot be run: ${thrown.message}`)))
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

/**
 * `npm run emulators`: installs and starts the emulators, prints the variables of their clients,
 * and stays until it is told to end. With `-- command…` it runs that command with the variables
 * instead, and ends with its status. With CI set, an emulator that is missing makes the status 1.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isTruthy } from '../../shared/config/truthy.ts'
import { installEmulator } from './install-emulator.ts'
import { emulators } from './emulators.ts'
import { endpointVariableOf, startEmulators } from './start-emulators.ts'
import { watchShutdownSignal } from '../shutdown-signal.ts'

/** Names the process that ends them. */
const pidVariable = 'ANTICHAIN_EMULATORS_PID'

const report = (line: string): void => console.error(`· ${line}`)

async function main(args: readonly string[]): Promise<number> {
  const separator = args.indexOf('--')
  const command = separator === -1 ? undefined : args.slice(separator + 1)
  const unknown = args.slice(0, separator === -1 ? args.length : separator)
  if (unknown.length > 0 || command?.length === 0) {
    console.error(`error: emulators takes nothing, or -- and a command`)
    return 2
  }
  const all = []
  // One after the other: two cold builds at once only make each other slow.
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
    report(`${names.join(', ')} answer after ${((Date.now() - beganMs) / 1000).toFixed(1)} s`)
    if (command !== undefined) {
      const status = await runWithEmulators(command, started.variables)
      return isStrict && status === 0 ? 1 : status
    }
    // At once, so that who waits for the first line has all.
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

/** Runs a command to its end, whatever signals come meanwhile; endpoints of before do not count. */
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

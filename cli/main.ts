/**
 * cli: the command line. It parses, asks, and shows; what is done is done below, through
 * `local-port.ts` and the ports. Imports everything below, nothing imports it.
 *
 * Invariants: stdout carries results only, everything said to a person goes to stderr or through
 * the display; a command module is loaded when its command runs, so that looking at stacks does not
 * load the engine; an option that is not supported is refused by name.
 */
import { reportFailure } from './session/report-failure.ts'
import { error } from '../shared/errors/error.ts'

const needed = 24

async function main(): Promise<number> {
  const major = Number(process.versions.node.split('.', 1)[0])
  if (major < needed)
    return reportFailure(
      error('NODE_TOO_OLD', `Node ${process.versions.node} is too old, antichain needs ${needed}`),
      process.stderr,
      false,
    )
  const { runCommandLine } = await import('./arguments/run-command-line.ts')
  const { createTerminalIo } = await import('./session/terminal-io.ts')
  const { createTools } = await import('./session/create-tools.ts')
  const io = createTerminalIo()
  return runCommandLine(process.argv.slice(2), io, createTools())
}

process.exitCode = await main()

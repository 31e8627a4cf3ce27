/**
 * cli: the command line. It parses arguments, prompts the user, and shows results. The layers below
 * do the work, through `local/engine-port.ts` and the ports. It imports all layers below, and no
 * layer imports it.
 *
 * Invariants: stdout contains results only; all messages go to stderr or through the display. A
 * command module is loaded when its command runs, so that listing stacks does not load the engine.
 * An unsupported option is refused by name.
 */
import { reportFailure } from './session/report-failure.ts'
import { resolveChunksByName } from './session/resolve-chunks.ts'
import { createError } from '../shared/errors/error.ts'

const requiredMajor = 24

async function main(): Promise<number> {
  const major = Number(process.versions.node.split('.', 1)[0])
  if (major < requiredMajor)
    return reportFailure(
      createError(
        'NODE_TOO_OLD',
        `Node ${process.versions.node} is too old: antichain requires version ${requiredMajor} or later`,
      ),
      process.stderr,
      false,
    )
  resolveChunksByName(import.meta.filename)
  const { runCommandLine } = await import('./arguments/run-command-line.ts')
  const { createTerminalIo } = await import('./session/terminal-io.ts')
  const { createLazyTools } = await import('./session/lazy-tools.ts')
  const io = createTerminalIo()
  return runCommandLine(process.argv.slice(2), io, createLazyTools())
}

process.exitCode = await main()

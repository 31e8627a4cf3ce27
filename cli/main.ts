/**
 * cli: the command line. It parses arguments, prompts the user, and shows results. The layers below
 * do the work, through `local/engine-port.ts` and the ports. It imports all layers below, and no
 * layer imports it.
 *
 * Invariants: stdout contains results only; all messages go to stderr or through the display. A
 * command module is loaded when its command runs, so that listing stacks does not load the engine.
 * An unsupported option is refused by name.
 */
import { limitHeapGrowth } from './session/limit-heap-growth.ts'
import { reportFailure } from './session/report-failure.ts'
import { resolveChunksByName } from './session/resolve-chunks.ts'
import { createError } from '../shared/errors/error.ts'

const requiredMajor = 24

/** The commands that open the secrets of a stack. */
const secretCommands = new Set([
  'up',
  'update',
  'preview',
  'pre',
  'refresh',
  'destroy',
  'down',
  'dn',
])

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
  limitHeapGrowth()
  const { createTerminalIo } = await import('./session/terminal-io.ts')
  const { createLazyTools } = await import('./session/lazy-tools.ts')
  const args = process.argv.slice(2)
  const io = createTerminalIo()
  const tools = createLazyTools()
  if (secretCommands.has(args[0] ?? '') && !args.includes('--help')) {
    const { startKeyDerivation } = await import('./stack/start-key-derivation.ts')
    await startKeyDerivation(args, io, tools)
  }
  const { runCommandLine } = await import('./arguments/run-command-line.ts')
  return runCommandLine(args, io, tools)
}

process.exitCode = await main()

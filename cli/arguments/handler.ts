import type { Command } from 'commander'
import { createError } from '../../shared/errors/error.ts'
import type { Flags } from './flags.ts'
import type { CliSession } from '../session/session.ts'

/** The handler of a command. Returns the exit code. */
export type Handler = (
  session: CliSession,
  flags: Flags,
  operands: readonly string[],
) => Promise<number>

/** A function that loads the module of a command. */
export type LoadHandler = () => Promise<Handler>

/**
 * A function that attaches a handler to a command. It calls `loadHandler` when the command runs.
 * `unsupported`: options of Pulumi's command that are not supported yet.
 */
export type Attach = (
  command: Command,
  loadHandler: LoadHandler,
  unsupported?: readonly string[],
) => Command

/**
 * Declares unsupported commands of Pulumi, hidden from the help. They throw FEATURE_MISSING.
 * `substitutes`: the hint for each command.
 */
export function declareUnsupportedCommands(
  parent: Command,
  substitutes: Readonly<Record<string, string>>,
): void {
  for (const [name, hint] of Object.entries(substitutes))
    parent
      .command(name, { hidden: true })
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => {
        throw createError('FEATURE_MISSING', `the command '${name}' is not supported`, { hint })
      })
}

import type { Command } from 'commander'
import { error } from '../../shared/errors/error.ts'
import type { Flags } from './flags.ts'
import type { CliSession } from '../session/session.ts'

/** The handler of a command. Returns the exit code. */
export type Handler = (
  session: CliSession,
  flags: Flags,
  operands: readonly string[],
) => Promise<number>

/**
 * A function that attaches a handler to a command. `load` is called when the command runs.
 * `unsupported`: options that are not supported yet.
 */
export type Attach = (
  command: Command,
  load: () => Promise<Handler>,
  unsupported?: readonly string[],
) => Command

/** Declares unsupported commands. They are hidden from the help and refused by name. */
export function declareUnsupportedCommands(parent: Command, names: readonly string[]): void {
  for (const name of names)
    parent
      .command(name, { hidden: true })
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => {
        throw error('FEATURE_MISSING', `the command '${name}' is not supported yet`)
      })
}

import type { Command } from 'commander'
import { error } from '../../shared/errors/error.ts'
import type { Flags } from './flags.ts'
import type { CliSession } from '../session/session.ts'

/** What a declared command does: answers its exit code. */
export type Handler = (
  session: CliSession,
  flags: Flags,
  operands: readonly string[],
) => Promise<number>

/**
 * Puts a handler under a command; its module is loaded when the command runs. The options of
 * `refused` are those that are not there yet.
 */
export type Attach = (
  command: Command,
  load: () => Promise<Handler>,
  refused?: readonly string[],
) => Command

/** Declares commands that are refused by name, hidden from the help. */
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

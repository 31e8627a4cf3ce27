import { type Command, Option } from 'commander'
import { createError } from '../../shared/errors/error.ts'
import { optionSubstitutes } from './unsupported.ts'

/**
 * The options of a command line, by their names in camel case. `isSet` reports whether a switch is
 * on, by the command line or by default. `list`: the values of a repeatable option. `text` returns
 * 'true' for an option without its optional value, and for a switch that is on; 'false' for one
 * that is off. Of a repeated option, `text` returns the last value.
 */
export interface Flags {
  readonly isSet: (name: string) => boolean
  readonly text: (name: string) => string | undefined
  readonly list: (name: string) => readonly string[]
}

/** Returns the options of a command, including the global ones. */
export function flagsOf(command: Command): Flags {
  const values: Readonly<Record<string, unknown>> = command.optsWithGlobals()
  return {
    isSet: name => values[name] === true,
    text: name => {
      const stored = values[name]
      const value: unknown = Array.isArray(stored) ? stored.at(-1) : stored
      if (typeof value === 'string') return value
      return typeof value === 'boolean' ? String(value) : undefined
    },
    list: name => {
      const value = values[name]
      return Array.isArray(value) ? value.map(String) : []
    },
  }
}

/**
 * Declares options of Pulumi that are not supported yet, hidden from the help. `names`: each in the
 * syntax of commander, such as `--type <type>`.
 */
export function declareUnsupportedOptions(command: Command, names: readonly string[]): Command {
  for (const name of names) command.addOption(new Option(name).hideHelp())
  return command
}

/** Refuses a command line with an option of `declareUnsupportedOptions`. Throws FEATURE_MISSING. */
export function refuseUnsupportedOptions(command: Command, names: readonly string[]): void {
  const values: Readonly<Record<string, unknown>> = command.opts()
  for (const name of names) {
    const option = new Option(name)
    if (values[option.attributeName()] !== undefined)
      throw createUnsupportedOptionError(option.long ?? name, command.name())
  }
}

function createUnsupportedOptionError(name: string, command: string): Error {
  const hint = optionSubstitutes[name]
  const message = `the option ${name} of '${command}' is not supported`
  return createError('FEATURE_MISSING', message, hint === undefined ? {} : { hint })
}

/** Collects the values of an option that can be repeated. */
export function collectValues(
  value: string,
  previousValues: readonly string[] | undefined,
): readonly string[] {
  return [...(previousValues ?? []), value]
}

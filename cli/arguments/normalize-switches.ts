import type { Command, Option } from 'commander'
import { createError } from '../../shared/errors/error.ts'

/**
 * Rewrites switches with a value, which every switch of Pulumi accepts: `--yes=true` becomes
 * `--yes`, and `--protect=false` becomes `--no-protect`. Some switches have only one of the two
 * forms. An argument for the missing form is omitted, because it would only set the default. Throws
 * CLI_USAGE for a value that is neither true nor false.
 */
export function normalizeSwitches(root: Command, args: readonly string[]): readonly string[] {
  const options = listOptions(findCommand(root, args))
  const end = args.indexOf('--')
  const argsBeforeDashes = end < 0 ? args : args.slice(0, end)
  return [
    ...argsBeforeDashes.flatMap(arg => normalizeSwitch(options, arg)),
    ...args.slice(argsBeforeDashes.length),
  ]
}

/**
 * Returns the command that the arguments name. Skips other arguments between the words of the
 * command.
 */
function findCommand(root: Command, args: readonly string[]): Command {
  let command = root
  for (const arg of args) {
    if (arg === '--' || command.commands.length === 0) return command
    command =
      command.commands.find(child => child.name() === arg || child.aliases().includes(arg)) ??
      command
  }
  return command
}

/** Returns the options of a command, and those of the commands above it. */
function listOptions(command: Command): readonly Option[] {
  return command.parent === null
    ? command.options
    : [...command.options, ...listOptions(command.parent)]
}

function normalizeSwitch(options: readonly Option[], arg: string): readonly string[] {
  const [, name = '', value] = /^--([a-z][\w-]*)(?:=(.*))?$/s.exec(arg) ?? []
  const isDeclared = options.some(option => option.long === `--${name}` && option.isBoolean())
  const hasNegation = options.some(option => option.long === `--no-${name}`)
  if (!isDeclared && !hasNegation) return [arg]
  if (value === undefined) return isDeclared ? [arg] : []
  if (/^(1|t|true)$/i.test(value)) return isDeclared ? [`--${name}`] : []
  if (/^(0|f|false)$/i.test(value)) return hasNegation ? [`--no-${name}`] : []
  throw createError(
    'CLI_USAGE',
    `--${name} is a switch: its value is true or false, not '${value}'`,
  )
}

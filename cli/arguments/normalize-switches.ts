import type { Command, Option } from 'commander'
import { error } from '../../shared/errors/error.ts'

/**
 * Rewrites switches with a value, which every switch of Pulumi accepts: `--yes=true` becomes
 * `--yes`, and `--protect=false` becomes `--no-protect`. A value for which the switch has no form,
 * such as `--no-protect`, must be the default, so the switch is omitted. Throws CLI_USAGE for
 * another value.
 */
export function normalizeSwitches(root: Command, args: readonly string[]): readonly string[] {
  const options = listOptions(findCommand(root, args))
  const end = args.indexOf('--')
  const ownArgs = end < 0 ? args : args.slice(0, end)
  return [...ownArgs.flatMap(arg => normalizeSwitch(options, arg)), ...args.slice(ownArgs.length)]
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
  const hasNegative = options.some(option => option.long === `--no-${name}`)
  if (!isDeclared && !hasNegative) return [arg]
  if (value === undefined) return isDeclared ? [arg] : []
  if (/^(1|t|true)$/i.test(value)) return isDeclared ? [`--${name}`] : []
  if (/^(0|f|false)$/i.test(value)) return hasNegative ? [`--no-${name}`] : []
  throw error('CLI_USAGE', `--${name} is a switch: its value is true or false, not '${value}'`)
}

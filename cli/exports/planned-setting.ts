import * as z from 'zod'
import { defaultGroup } from '../../shared/config/stack-groups.ts'
import type { StackId } from '../../shared/records/ids.ts'
import { quoteForShell } from '../display/quote-for-shell.ts'
import type { SettingCommand } from './setting-kinds.ts'

/** The form of a setting in a list of the API, with only the field that all kinds have. */
export const namedForm = z.looseObject({ name: z.string() })

/** A setting that an import stores. */
export interface PlannedSetting {
  readonly group: string
  /** The stack of the setting. Absent for a setting without a stack. */
  readonly stack?: StackId
  readonly noun: string
  /** The name. Empty for a setting of which a stack has only one, such as its approval rule. */
  readonly name: string
  /** The path of the PUT request that stores the setting. `body` is the body of this request. */
  readonly path: string
  readonly body: object
  /** The command that stores the same setting, for a setting that grants access or trust. */
  readonly command?: string
  /** The effect of a setting that no command stores in the same form. */
  readonly effect?: string
}

/** Formats a command for a shell, with placeholders for its secrets. */
export function formatSettingCommand(
  { args, variables = [] }: SettingCommand,
  group: string,
): string {
  const groupVariable = group === defaultGroup ? [] : [`ANTICHAIN_GROUP=${group}`]
  const assignments = [...groupVariable, ...variables.map(name => `${name}=…`)]
  return [...assignments, 'antichain', ...args.map(quoteArgument)].join(' ')
}

function quoteArgument(argument: string): string {
  const isPlain = /^[\w./:@=,-]+$/.test(argument)
  return isPlain ? argument : quoteForShell(argument)
}

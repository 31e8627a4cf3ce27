import type { FunctionRow } from '../function-row.ts'
import { functionsTable, groupRows } from '../functions-table.ts'
import { groupSettingsOf } from '../names.ts'
import type { Settings } from '../settings.ts'

/** A function of an installation, for all groups of stacks or for one of them. */
export interface LocalFunction {
  readonly row: FunctionRow
  /** The settings of its group. The name of the function begins with `installation`. */
  readonly settings: Settings
  /** The group, if it is not the default one. */
  readonly group?: string
}

/** Lists all functions of an installation. */
export function listLocalFunctions(settings: Settings): readonly LocalFunction[] {
  return [
    ...functionsTable.map(row => ({ row, settings })),
    ...settings.groups.flatMap(({ name: group }) =>
      groupRows.map(row => ({ row, settings: groupSettingsOf(settings, group), group })),
    ),
  ]
}

/** Returns the full name of a function. */
export const fullNameOf = ({ row, settings }: LocalFunction): string =>
  `${settings.installation}-${row.name}`

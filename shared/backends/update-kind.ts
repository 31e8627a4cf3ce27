import type { HistoryRecord } from '../ports/catalog.ts'

type HistoryCommand = HistoryRecord['command']

/**
 * The name of each command in Pulumi's history. Pulumi has no name for an edit of a state, so it is
 * called `state`.
 */
export const kindsByCommand: Readonly<Record<HistoryCommand, string>> = {
  up: 'update',
  refresh: 'refresh',
  destroy: 'destroy',
  import: 'resource-import',
  'stack import': 'import',
  'stack rename': 'rename',
  state: 'state',
}

const commandsByKind: ReadonlyMap<string, HistoryCommand> = new Map(
  Object.entries(kindsByCommand).map(([command, kind]) => [kind, command as HistoryCommand]),
)

/** Returns the command of a kind of update. An unknown kind counts as an edit of the state. */
export function commandOfKind(kind: string): HistoryCommand {
  return commandsByKind.get(kind) ?? 'state'
}

import { error } from '../../shared/errors/error.ts'
import { isUrn, nameOf } from '../../shared/names/urn.ts'
import { clearPending, importPending, pendingOf } from '../../shared/state/pending.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { confirm, type CliSession } from '../session/session.ts'
import { editConfirmedState, type ConfirmedEdit } from '../state/edit-state.ts'
import { formatTable } from '../display/table.ts'

/** `state pending ls`: what began and of which nobody knows how it ended. */
export const listPending: Handler = async (session, flags) => {
  const id = await session.requireStack()
  const local = await session.openEngine()
  const standing = await local.readStatus(id)
  if (standing.kind === 'running')
    session.warn(
      `Deployment ${standing.number} is under way: what it is doing now is listed too, and may end well.`,
    )
  else if (standing.kind !== 'none')
    session.warn(`Deployment ${standing.number} was interrupted: this is what it was doing.`)
  const stored = await local.exportState(id)
  const pending = stored === undefined ? [] : pendingOf(stored)
  if (flags.is('json')) {
    const rows = pending.map(({ resource, type }) => ({ urn: resource.urn, type }))
    session.print(JSON.stringify(rows, null, 2))
    return 0
  }
  if (pending.length === 0) {
    session.warn('Nothing is pending.')
    return 0
  }
  const rows = pending.map(({ resource, type }) => [
    type,
    displayNameOf(resource.urn),
    resource.urn,
  ])
  for (const line of formatTable(['OPERATION', 'NAME', 'URN'], rows)) session.print(line)
  return 0
}

/** `state pending import <urn> <id>`: the create took place, and this is what it made. */
export const importPendingOperation: Handler = async (session, flags, [urn = '', id = '']) => {
  if (id === '') throw error('CLI_USAGE', 'an id is missing')
  const text = `'${displayNameOf(urn)}' becomes a resource of the stack, with the id '${id}'.`
  await editPending(session, flags, { text, change: state => importPending(state, urn, id) })
  session.warn('Imported. The next deployment reads it from its provider before anything else.')
  return 0
}

/** `state pending clear <urn>`: nothing came of it, or it was removed by hand. */
export const clearPendingOperation: Handler = async (session, flags, [urn = '']) => {
  const text = `What was begun of '${displayNameOf(urn)}' is forgotten. If it exists, nobody will delete it.`
  await editPending(session, flags, { text, change: state => clearPending(state, urn) })
  session.warn('Cleared.')
  return 0
}

async function editPending(
  session: CliSession,
  flags: Flags,
  { text, change }: { readonly text: string; readonly change: ConfirmedEdit['change'] },
): Promise<void> {
  await editConfirmedState(session, {
    change,
    confirm: async (first, stack) =>
      confirm(session, flags.is('yes'), { text: first + text, answer: stack }),
  })
}

function displayNameOf(urn: string): string {
  return isUrn(urn) ? nameOf(urn) : urn
}

import { error } from '../../shared/errors/error.ts'
import { isUrn, nameOf } from '../../shared/names/urn.ts'
import { clearPending, importPending, pendingOf } from '../../shared/state/pending.ts'
import type { Handler } from '../attach.ts'
import type { Flags } from '../flags.ts'
import { confirmed, type Session } from '../session.ts'
import { editState, type StateEdit } from '../state-editing.ts'
import { tableOf } from '../table.ts'

/** `state pending ls`: what began and of which nobody knows how it ended. */
export const pendingLs: Handler = async (session, flags) => {
  const id = await session.existingStack()
  const local = await session.local()
  const standing = await local.standing(id)
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
  const rows = pending.map(({ resource, type }) => [type, nameIn(resource.urn), resource.urn])
  for (const line of tableOf(['OPERATION', 'NAME', 'URN'], rows)) session.print(line)
  return 0
}

/** `state pending import <urn> <id>`: the create took place, and this is what it made. */
export const pendingImport: Handler = async (session, flags, [urn = '', id = '']) => {
  if (id === '') throw error('CLI_USAGE', 'an id is missing')
  const text = `'${nameIn(urn)}' becomes a resource of the stack, with the id '${id}'.`
  await edit(session, flags, { text, change: state => importPending(state, urn, id) })
  session.warn('Imported. The next deployment reads it from its provider before anything else.')
  return 0
}

/** `state pending clear <urn>`: nothing came of it, or it was removed by hand. */
export const pendingClear: Handler = async (session, flags, [urn = '']) => {
  const text = `What was begun of '${nameIn(urn)}' is forgotten. If it exists, nobody will delete it.`
  await edit(session, flags, { text, change: state => clearPending(state, urn) })
  session.warn('Cleared.')
  return 0
}

async function edit(
  session: Session,
  flags: Flags,
  { text, change }: { readonly text: string; readonly change: StateEdit['change'] },
): Promise<void> {
  await editState(session, {
    change,
    agreed: async (first, stack) =>
      confirmed(session, flags.is('yes'), { text: first + text, answer: stack }),
  })
}

function nameIn(urn: string): string {
  return isUrn(urn) ? nameOf(urn) : urn
}

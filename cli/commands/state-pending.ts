import { createError } from '../../shared/errors/error.ts'
import { isUrn, nameOf } from '../../shared/names/urn.ts'
import { pendingOperationsOf } from '../../shared/state/pending.ts'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { confirm, type CliSession } from '../session/session.ts'
import { editConfirmedState, type ConfirmedEdit } from '../state/edit-state.ts'
import { formatTable } from '../display/table.ts'

/** `state pending ls`: lists operations that began and whose results are unknown. */
export const listPending: Handler = async (session, flags) => {
  const id = await session.requireStack()
  const engine = await session.openEngine()
  const status = await engine.readStatus(id)
  if (status.kind === 'running')
    session.printToStderr(
      `Deployment ${status.number} is running: its running operations are listed too, and may still succeed.`,
    )
  else if (status.kind !== 'none')
    session.printToStderr(`Deployment ${status.number} was interrupted during these operations.`)
  const storedState = await engine.exportState(id)
  const pending = storedState === undefined ? [] : pendingOperationsOf(storedState)
  if (flags.isSet('json')) {
    const rows = pending.map(({ resource, type }) => ({ urn: resource.urn, type }))
    session.print(JSON.stringify(rows, null, 2))
    return 0
  }
  if (pending.length === 0) {
    session.printToStderr('There are no pending operations.')
    return 0
  }
  const rows = pending.map(({ resource, type }) => [
    type,
    pendingNameOf(resource.urn),
    resource.urn,
  ])
  for (const line of formatTable(['OPERATION', 'NAME', 'URN'], rows)) session.print(line)
  return 0
}

/** `state pending import <urn> <id>`: adds the resource that an interrupted create has created. */
export const importPendingOperation: Handler = async (session, flags, [urn = '', id = '']) => {
  if (id === '') throw createError('CLI_USAGE', 'the id is missing')
  const text = `This adds '${pendingNameOf(urn)}' to the state, with the id '${id}'.`
  await editPending(session, flags, { text, edit: { kind: 'pending import', urn, id } })
  session.printToStderr(
    'Imported the resource. The next deployment first reads it from its provider.',
  )
  return 0
}

/**
 * `state pending clear <urn>`: removes an operation that had no effect, or whose resource was
 * deleted by hand.
 */
export const clearPendingOperation: Handler = async (session, flags, [urn = '']) => {
  const text = `This removes the pending operation of '${pendingNameOf(urn)}' from the state. If its resource exists, antichain will not delete it.`
  await editPending(session, flags, { text, edit: { kind: 'pending clear', urn } })
  session.printToStderr('Removed the pending operation.')
  return 0
}

async function editPending(
  session: CliSession,
  flags: Flags,
  { text, edit }: { readonly text: string; readonly edit: ConfirmedEdit['edit'] },
): Promise<void> {
  await editConfirmedState(session, {
    edit,
    confirm: async (introduction, stack) =>
      confirm(session, flags.isSet('yes'), { text: introduction + text, answer: stack }),
  })
}

function pendingNameOf(urn: string): string {
  return isUrn(urn) ? nameOf(urn) : urn
}

import { error } from '../../shared/errors/error.ts'
import { requireUrn } from '../../shared/state/edits/find.ts'
import { withName } from '../../shared/state/edits/rename-resource.ts'
import type { Handler } from '../attach.ts'
import { agreedAtTerminal, chosenUrn, editsDirectly, editState } from '../state-editing.ts'

/** `state rename [urn] [name]`: gives a resource another name; references to it follow. */
export const stateRename: Handler = async (session, flags, [given, wanted]) => {
  if (!session.interactive && (given === undefined || wanted === undefined))
    throw error('CLI_USAGE', 'a URN and the new name must be given when nobody can be asked')
  const urn = given ?? (await chosenUrn(session, 'Which resource is to be renamed?'))
  requireUrn(urn)
  const name = wanted ?? (await session.io.ask('The new name:')).trim()
  await editState(session, {
    agreed: first => agreedAtTerminal(session, flags, first + editsDirectly),
    change: state => withName(state, urn, name),
  })
  session.warn('Resource renamed')
  return 0
}

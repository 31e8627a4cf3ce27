import { error } from '../../shared/errors/error.ts'
import { requireUrn } from '../../shared/state/edits/find-resource.ts'
import { renameResourceInState } from '../../shared/state/edits/rename-resource.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import {
  confirmAtTerminal,
  chooseUrn,
  editsDirectly,
  editConfirmedState,
} from '../state/edit-state.ts'

/** `state rename [urn] [name]`: gives a resource another name; references to it follow. */
export const renameResource: Handler = async (session, flags, [operand, wanted]) => {
  if (!session.interactive && (operand === undefined || wanted === undefined))
    throw error('CLI_USAGE', 'a URN and the new name must be given when nobody can be asked')
  const urn = operand ?? (await chooseUrn(session, 'Which resource is to be renamed?'))
  requireUrn(urn)
  const name = wanted ?? (await session.io.prompt('The new name:')).trim()
  await editConfirmedState(session, {
    confirm: first => confirmAtTerminal(session, flags, first + editsDirectly),
    change: state => renameResourceInState(state, urn, name),
  })
  session.warn('Resource renamed')
  return 0
}

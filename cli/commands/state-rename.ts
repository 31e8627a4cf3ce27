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

/** `state rename [urn] [name]`: renames a resource and updates the references to it. */
export const renameResource: Handler = async (session, flags, [operand, wanted]) => {
  if (!session.interactive && (operand === undefined || wanted === undefined))
    throw error('CLI_USAGE', 'the URN and the new name must be passed in non-interactive mode')
  const urn = operand ?? (await chooseUrn(session, 'Select the resource to rename.'))
  requireUrn(urn)
  const name = wanted ?? (await session.io.prompt('New name of the resource:')).trim()
  await editConfirmedState(session, {
    confirm: first => confirmAtTerminal(session, flags, first + editsDirectly),
    change: state => renameResourceInState(state, urn, name),
  })
  session.warn('Resource renamed')
  return 0
}

import { createError } from '../../shared/errors/error.ts'
import { requireUrn } from '../../shared/state/edits/find-resource.ts'
import type { Handler } from '../arguments/handler.ts'
import {
  confirmAtTerminal,
  chooseUrn,
  directEditPrompt,
  editConfirmedState,
} from '../state/edit-state.ts'

/** `state rename [urn] [name]`: renames a resource and updates the references to it. */
export const renameResource: Handler = async (session, flags, [operand, newName]) => {
  if (!session.mayPrompt && (operand === undefined || newName === undefined))
    throw createError(
      'CLI_USAGE',
      'the URN and the new name must be passed in non-interactive mode',
    )
  const urn = operand ?? (await chooseUrn(session, 'Select the resource to rename.'))
  requireUrn(urn)
  const name = newName ?? (await session.io.prompt('New name of the resource:')).trim()
  await editConfirmedState(session, {
    confirm: introduction => confirmAtTerminal(session, flags, introduction + directEditPrompt),
    edit: { kind: 'rename', urn, name },
  })
  session.printToStderr('Resource renamed')
  return 0
}

import { createError } from '../../shared/errors/error.ts'
import type { StateEdit } from '../../shared/state/edits/state-edit.ts'
import { readTextField } from '../../shared/state/stored-fields.ts'
import type { Handler } from '../arguments/handler.ts'
import type { CliSession } from '../session/session.ts'
import {
  confirmAtTerminal,
  chooseUrn,
  readCurrentState,
  directEditPrompt,
  editConfirmedState,
} from '../state/edit-state.ts'

type DeleteSelection = Omit<Extract<StateEdit, { kind: 'delete' }>, 'kind'>

/** `state delete [urns]`: removes resources from the state. Nothing is deleted at the providers. */
export const deleteFromState: Handler = async (session, flags, operands) => {
  const isAll = flags.isSet('all')
  if (isAll && operands.length > 0)
    throw createError('CLI_USAGE', '--all cannot be used together with the URNs of resources')
  const hasSelection = operands.length > 0 || isAll
  const urns = hasSelection
    ? operands
    : [await chooseUrn(session, 'Select the resource to remove.')]
  const selection = {
    urns: isAll ? ('all' as const) : urns.map(urn => ({ urn })),
    force: flags.isSet('force'),
    dependents: flags.isSet('targetDependents'),
  }
  const uniqueSelection = await resolveCopies(session, selection)
  const { count } = await editConfirmedState(session, {
    confirm: introduction => confirmAtTerminal(session, flags, introduction + directEditPrompt),
    edit: { kind: 'delete', ...uniqueSelection },
  })
  if (isAll) session.printToStderr('Resources deleted')
  else session.printToStderr(count === 1 ? 'Resource deleted' : `${count} resources deleted`)
  return 0
}

/**
 * Prompts for the id if several resources have the same URN. In non-interactive mode, the selection
 * is returned unchanged.
 */
async function resolveCopies(
  session: CliSession,
  selection: DeleteSelection,
): Promise<DeleteSelection> {
  if (selection.urns === 'all' || !session.mayPrompt) return selection
  const state = await readCurrentState(session, await session.requireStack())
  const selectedResources: Exclude<DeleteSelection['urns'], 'all'> = []
  for (const { urn } of selection.urns) {
    const copies = (state?.resources ?? []).filter(resource => resource.urn === urn)
    if (copies.length < 2) selectedResources.push({ urn })
    else {
      const copyTexts = copies.map(
        copy =>
          `'${readTextField(copy, 'id')}'${copy['protect'] === true ? ' (protected)' : ''}` +
          (copy['delete'] === true ? ' (pending deletion)' : ''),
      )
      session.printToStderr(
        `${copies.length} resources have the URN ${urn}: ${copyTexts.join(', ')}`,
      )
      selectedResources.push({
        urn,
        id: (await session.io.prompt('Id of the resource to remove:')).trim(),
      })
    }
  }
  return { ...selection, urns: selectedResources }
}

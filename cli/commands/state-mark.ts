import { createError } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import {
  confirmAtTerminal,
  chooseUrn,
  directEditPrompt,
  editConfirmedState,
} from '../state/edit-state.ts'

const protectText =
  "This protects resources by a direct change of the stack's state. The next run of a program that does not set 'protect' removes the protection. Confirm?"

/** `state protect [urns]`: protects resources from deletion. */
export const protectResources = createMarkHandler({
  mark: 'protect',
  isSet: true,
  participle: 'protected',
  text: protectText,
})

/** `state unprotect [urns]`: removes the protection of resources. */
export const unprotectResources = createMarkHandler({
  mark: 'protect',
  isSet: false,
  participle: 'unprotected',
})

/** `state taint [urns]`: marks resources for replacement in the next `up`. */
export const taintResources = createMarkHandler({
  mark: 'taint',
  isSet: true,
  participle: 'tainted',
})

/** `state untaint [urns]`: removes the replacement mark of resources. */
export const untaintResources = createMarkHandler({
  mark: 'taint',
  isSet: false,
  participle: 'untainted',
})

function createMarkHandler(options: {
  readonly mark: 'protect' | 'taint'
  readonly isSet: boolean
  /** The participle for the result message. */
  readonly participle: string
  /** The text of the confirmation. Default: `directEditPrompt`. */
  readonly text?: string
}): Handler {
  const { participle, text = directEditPrompt, ...markFields } = options
  return async (session, flags, operands) => {
    const isAll = flags.isSet('all')
    if (isAll && operands.length > 0)
      throw createError('CLI_USAGE', '--all cannot be used together with the URNs of resources')
    const hasSelection = operands.length > 0 || isAll
    const urns = hasSelection ? operands : [await chooseUrn(session, 'Select a resource.')]
    const { count } = await editConfirmedState(session, {
      confirm: introduction => confirmAtTerminal(session, flags, introduction + text),
      edit: { kind: 'mark', urns: isAll ? 'all' : [...urns], ...markFields },
    })
    session.printToStderr(
      isAll ? `All resources ${participle}` : `${count} resources ${participle}`,
    )
    return 0
  }
}

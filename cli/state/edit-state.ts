import { createError } from '../../shared/errors/error.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { EditEnd } from '../../shared/records/stack-request.ts'
import type { StateEdit } from '../../shared/state/edits/state-edit.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import type { Flags } from '../arguments/flags.ts'
import { askYesNo, type CliSession } from '../session/session.ts'

/** An edit of a stack's state, and the function that asks for its confirmation. */
export interface ConfirmedEdit {
  readonly edit: StateEdit
  /**
   * Reports whether the user confirms. `introduction`: a sentence about the deployment that is
   * closed first, or ''. `stack`: the name of the stack.
   */
  readonly confirm: (introduction: string, stack: string) => Promise<boolean>
  /** Default: the specified or selected stack. */
  readonly stack?: StackId
}

/**
 * Edits a state in a short deployment, if `confirm` returns true. An interrupted deployment is
 * closed first. Throws CONFIRMATION_DECLINED, STACK_BUSY, and the errors of the edit. After an
 * error the state is unchanged. Prints the warnings of the edit.
 */
export async function editConfirmedState(
  session: CliSession,
  { edit, confirm, stack }: ConfirmedEdit,
): Promise<EditEnd> {
  const id = stack ?? (await session.requireStack())
  const engine = await session.openEngine()
  const status = await engine.readStatus(id)
  const mustClose = status.kind === 'interrupted' || status.kind === 'ending'
  const introduction = mustClose
    ? `Deployment ${status.number} was interrupted: it is closed first, and cannot be resumed then. `
    : ''
  if (!(await confirm(introduction, stackPartsOf(id).stack)))
    throw createError('CONFIRMATION_DECLINED', 'nothing was changed')
  if (mustClose) session.printToStderr(introduction.trim())
  const end = await engine.editState(id, edit)
  for (const notice of end.notices) session.printToStderr(`warning: ${notice}`)
  return end
}

/**
 * Asks for confirmation in a terminal, unless `--yes` is set. In non-interactive mode the edit
 * counts as confirmed, as in Pulumi, because a script names the resource and the edit explicitly.
 */
export async function confirmAtTerminal(
  session: CliSession,
  flags: Flags,
  text: string,
): Promise<boolean> {
  return flags.isSet('yes') || !session.mayPrompt || (await askYesNo(session, text))
}

/** The default confirmation prompt of an edit. */
export const directEditPrompt = "This command will edit your stack's state directly. Confirm?"

/** Returns the state of a stack, or undefined before its first deployment. */
export async function readCurrentState(
  session: CliSession,
  id: StackId,
): Promise<StoredDeployment | undefined> {
  return (await session.openEngine()).exportState(id)
}

/**
 * Prompts the user to choose a resource of the state, and returns its URN. Throws CLI_USAGE in
 * non-interactive mode, and STATE_RESOURCE_UNKNOWN if the state has no resources.
 */
export async function chooseUrn(session: CliSession, question: string): Promise<string> {
  if (!session.mayPrompt)
    throw createError('CLI_USAGE', 'the URN of a resource must be passed in non-interactive mode')
  const state = await readCurrentState(session, await session.requireStack())
  const urns = (state?.resources ?? []).map(({ urn }) => urn)
  if (urns.length === 0) throw createError('STATE_RESOURCE_UNKNOWN', 'the state has no resources')
  for (const [index, urn] of urns.entries()) session.printToStderr(`${index + 1}  ${urn}`)
  const answer = (await session.io.prompt(`${question} Number:`)).trim()
  const urn = /^\d+$/.test(answer) ? urns[Number(answer) - 1] : undefined
  if (urn === undefined) throw createError('CLI_USAGE', `'${answer}' is not a number of the list`)
  return urn
}
